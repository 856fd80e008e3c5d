/**
 * The wire of Home Assistant in statements. They hold for a real one as they do for the simulated one: nothing here knows
 * which it talks to, and what a statement changes it says itself first.
 */
import { afterEach, describe } from "node:test";
import { automationStatements } from "./automations.ts";
import { WireClient, type Wired } from "./client.ts";
import { entityStatements } from "./entities.ts";
import { eventStatements } from "./events.ts";
import { historyStatements } from "./history.ts";
import { registryStatements } from "./registries.ts";
import { restStatements } from "./rest.ts";
import { restServiceStatements } from "./rest-services.ts";
import { socketStatements } from "./socket.ts";
import { socketServiceStatements } from "./socket-services.ts";

export type Statements = (client: () => WireClient) => void;

export type { Wired } from "./client.ts";

const CHAPTERS: Readonly<Record<string, Statements>> = {
  "over REST": restStatements,
  "services over REST": restServiceStatements,
  automations: automationStatements,
  history: historyStatements,
  "over the socket": socketStatements,
  "services over the socket": socketServiceStatements,
  "live entities": entityStatements,
  "live events": eventStatements,
  registries: registryStatements,
};

/** @param home called when the first statement runs, so that it may be started in a hook */
export function describeWire(home: () => Wired): void {
  let client: WireClient | undefined;
  const current = () => {
    client ??= new WireClient(home());
    return client;
  };
  afterEach(() => client?.close());
  for (const [name, statements] of Object.entries(CHAPTERS)) describe(name, () => statements(current));
}
