/** The port of limits as one node of a cluster has it, while no other has told anything. */
import { SharedRates } from "../../../src/nodes/shared-rates.ts";
import { describeRates } from "./rates-suite.ts";

describeRates("one of several nodes", (perMinute) => {
  const clock = { now: () => 0 };
  return new SharedRates({ clock, perMinute, isConnected: () => true, nodes: () => 3, send: () => {} });
});
