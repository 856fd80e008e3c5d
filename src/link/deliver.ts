/** The messages in one text: the text itself, or the elements of a JSON array. */
import { splitJsonArray } from "../protocol/framing/json-array.ts";
import type { LinkHandlers } from "./link.ts";

const NOISE_LENGTH = 200;

/** Blank texts are passed over; whether a message is any good is for its reader to say. */
export function deliver(text: string, handlers: LinkHandlers): void {
  const begin = text.trimStart();
  if (begin === "") return;
  const messages = begin.startsWith("[") ? splitJsonArray(begin) : [text];
  for (const message of messages ?? []) handlers.onMessage(message);
  if (!messages) handlers.onNoise?.(text.slice(0, NOISE_LENGTH));
}
