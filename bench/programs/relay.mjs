/** What both floors do to a message: an id of their own on the way up, the caller's again on the way down. */
import { endOfValue, findMember } from "./json-text.mjs";

/** What waits for an answer, by our id. */
const waiting = new Map();
let nextId = 1;

/** The message as the upstream gets it; undefined if it is a notification. */
export function takeUp(text, response) {
  const at = findMember(text, 0, "id");
  if (at < 0) return undefined;
  const end = endOfValue(text, at);
  const ours = nextId++;
  waiting.set(ours, { id: text.slice(at, end), response });
  return text.slice(0, at) + ours + text.slice(end);
}

/** The answer as its caller gets it, handed to `deliver`; what nobody waits for is dropped. */
export function bringDown(text, deliver) {
  const at = findMember(text, 0, "id");
  if (at < 0) return;
  const end = endOfValue(text, at);
  const ours = Number(text.slice(at, end));
  const caller = waiting.get(ours);
  if (!caller) return;
  waiting.delete(ours);
  deliver(caller.response, text.slice(0, at) + caller.id + text.slice(end));
}
