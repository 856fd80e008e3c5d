/**
 * Who is told what a server says unasked. A changed list concerns everybody who talks to that server; a changed resource
 * those who asked for it; a log line those who are waiting for the server just now, and only if they are all the same
 * principal: a server that several share does not say whose call it is talking about.
 */
import type { Payload } from "../../protocol/json/payload.ts";
import type { Dialogue } from "./conversation.ts";
import { ServerConversation } from "./server-conversation.ts";

export function audienceOf(
  dialogues: readonly Dialogue[],
  source: string,
  method: string,
  params: Payload,
): (dialogue: Dialogue) => boolean {
  const about = dialogues.filter((each) => each instanceof ServerConversation).filter((each) => each.source === source);
  const meant = new Set<Dialogue>(chosen(about, method, params));
  return (dialogue) => meant.has(dialogue);
}

function chosen(about: readonly ServerConversation[], method: string, params: Payload): readonly ServerConversation[] {
  if (method.endsWith("/list_changed")) return about;
  if (method === "notifications/resources/updated") {
    const uri = String((params.value as { uri?: unknown } | null)?.uri);
    return about.filter((each) => each.isSubscribedTo(uri));
  }
  const waiting = about.filter((each) => each.isWaiting);
  return new Set(waiting.map((each) => each.principalId)).size === 1 ? waiting : [];
}
