/** Lets a call pass only if its principal may use the tool, or ask that of its source; otherwise it is unknown, not forbidden. */
import { ZaguanError } from "../../errors.ts";
import { mayAsk, mayUse } from "../access.ts";
import type { StepFactory } from "../pipeline.ts";

export const authorize: StepFactory = () => (call, next) => {
  const may = call.method === "tools/call" ? mayUse : mayAsk;
  if (may(call.principal, call.source, call.name)) return next(call);
  const hidden = call.tool
    ? new ZaguanError("UNKNOWN_TOOL", { params: { tool: call.name }, delivery: "not_sent" })
    : new ZaguanError("UNKNOWN_METHOD", { params: { method: call.method }, delivery: "not_sent" });
  return Promise.reject(hidden);
};
