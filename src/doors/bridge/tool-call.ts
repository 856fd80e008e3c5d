/** One call of a tool, from a request on the bridge to the hub. */
import type { CallRequest, CallTrace } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { memberString } from "../../protocol/json-rpc/message.ts";
import type { Exchange } from "../door.ts";
import { argumentsOf, hasArguments, metaOf } from "../mcp/conversation.ts";
import type { BridgeCall } from "./request.ts";

export function newTrace(): CallTrace {
  return { queuedMs: 0, attempts: 0, cached: false, entered: undefined, toolFailed: false };
}

export function toolCallOf(call: BridgeCall, { principal, language, left }: Exchange): CallRequest {
  const tool = memberString(call.text, call.members, "name");
  if (tool === undefined) throw new ZaguanError("INVALID_PARAMS", { params: { reason: NO_NAME } });
  const meta = metaOf(call);
  const params = hasArguments(call) ? call.params : undefined;
  return { tool, args: argumentsOf(call), params, meta, principal, language, door: "bridge", signal: left };
}

const NO_NAME = "'name' must be the name of a tool";
