/** One call of a tool, from a request on the bridge to the hub. */
import type { CallRequest, CallTrace } from "../../core/call.ts";
import type { Exchange } from "../door.ts";
import { toolCallOf as readToolCall } from "../mcp/tool-call.ts";
import type { BridgeCall } from "./request.ts";

export function newTrace(): CallTrace {
  return { queuedMs: 0, attempts: 0, cached: false, entered: undefined, toolFailed: false };
}

export function toolCallOf(call: BridgeCall, { principal, language, left }: Exchange): CallRequest {
  return { ...readToolCall(call), principal, language, door: "bridge", signal: left };
}
