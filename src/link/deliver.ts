/** The messages in one text: the text itself, or the elements of a JSON array. */
import { splitJsonArray } from "../protocol/framing/json-array.ts";
import type { LinkHandlers } from "./link.ts";

export type MessageHandlers = Pick<LinkHandlers, "onMessage" | "onNoise" | "onTooLarge">;

const NOISE_LENGTH = 200;
const OPEN_BRACE = 0x7b;

/** What cannot be cut into messages is noise. */
export function deliver(text: string, handlers: MessageHandlers): void {
  if (!cutAndDeliver(text, handlers)) handlers.onNoise?.(text.slice(0, NOISE_LENGTH));
}

/** False if the text cannot be cut into messages. Blank texts are passed over; whether a message is any good is for its reader to say. */
export function cutAndDeliver(text: string, handlers: MessageHandlers): boolean {
  if (text.charCodeAt(0) === OPEN_BRACE) {
    handlers.onMessage(text);
    return true;
  }
  const begin = text.trimStart();
  if (begin === "") return true;
  const messages = begin.startsWith("[") ? splitJsonArray(begin) : [text];
  for (const message of messages ?? []) handlers.onMessage(message);
  return messages !== undefined;
}
