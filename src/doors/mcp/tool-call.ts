/** What a `tools/call` asks for, and what is said before its answer: progress and logs. */
import type { CallRequest, NotificationSink } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import { memberOf } from "../../protocol/json/scan.ts";
import { encodeNotification, memberString, memberText, type RpcCall } from "../../protocol/json-rpc/message.ts";
import { metaBesideEnvelope } from "../../protocol/mcp/envelope.ts";
import { progressTokenOfCall, withProgressToken } from "../../protocol/mcp/progress-token.ts";

type ToolCall = Pick<CallRequest, "tool" | "args" | "params" | "meta">;

/** Throws INVALID_PARAMS without a tool's name, and if the arguments are no object. */
export function toolCallOf(call: RpcCall): ToolCall {
  const tool = toolNameOf(call);
  const args = argumentsOf(call);
  // Params pass whole, unless there are no arguments: some clients send null, and some servers want an object.
  if (memberOf(call.members, "arguments")?.kind === "object")
    return { tool, args, params: call.params, meta: undefined };
  return { tool, args, params: undefined, meta: metaBesideEnvelope(call) };
}

export function toolNameOf(call: RpcCall): string {
  const tool = memberString(call.text, call.members, "name");
  if (tool === undefined) throw invalid("'name' must be the name of a tool");
  return tool;
}

export function argumentsOf(call: RpcCall): Payload {
  const member = memberOf(call.members, "arguments");
  const text = memberText(call.text, call.members, "arguments");
  if (!member || text === undefined) return EMPTY_OBJECT;
  if (member.kind !== "object") throw invalid("'arguments' must be an object");
  return Payload.ofText(text, member.members);
}

function invalid(reason: string): ZaguanError {
  return new ZaguanError("INVALID_PARAMS", { params: { reason } });
}

/** Under the caller's own token, whatever ours is towards the source; undefined if the caller gave none and so wants none. */
export function progressSink(
  call: RpcCall,
  notify: (message: string) => void,
): ((progress: Payload) => void) | undefined {
  const token = progressTokenOfCall(call);
  if (token === undefined) return undefined;
  return (progress) => notify(encodeNotification("notifications/progress", withProgressToken(progress.text, token)));
}

export function notificationSink(notify: (message: string) => void): NotificationSink {
  return (method, params) => notify(encodeNotification(method, params.text));
}
