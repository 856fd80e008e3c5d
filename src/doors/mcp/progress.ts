/** What is said before an answer: progress, under the caller's own token, whatever ours was towards the source; and logs. */
import type { NotificationSink } from "../../core/call.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { encodeNotification, type RpcCall } from "../../protocol/json-rpc/message.ts";
import { progressTokenOfCall, withProgressToken } from "../../protocol/mcp/progress-token.ts";

/** Undefined if the caller gave no token and so wants none. */
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
