/** A pipe for whole text messages. Links know bytes, sockets and processes, and nothing of MCP. */
import type { CancelSignal } from "../light-abort.ts";
import { splitJsonArray } from "../protocol/framing/json-array.ts";
import type { CutMessage } from "../protocol/framing/passed-over.ts";
import type { Ending } from "./ending.ts";

export interface Link {
  /**
   * Sends one message. Rejects with a ZaguanError whose `delivery` is "not_sent" if it provably never left and
   * "unknown" otherwise. The signal takes back a message that still waits for room (on HTTP, ends its exchange).
   */
  send(message: string, signal?: CancelSignal): Promise<void>;
  /** Resolves, never rejects, when the pipe is gone. */
  readonly closed: Promise<Ending>;
  /** Closes and waits until nothing is left behind. */
  close(): Promise<void>;
}

/** What `send` gives back where the message was taken at once: whoever knows it need not wait for it. */
export const TAKEN: Promise<void> = Promise.resolve();

export interface LinkHandlers {
  /**
   * May say what it was: `"unasked"` where nobody waited for it, `"event"` where we subscribed to it, `"question"` where it
   * wants an answer besides. Of such messages a link takes only so many (`intake.ts`).
   */
  onMessage(message: string): unknown;
  /** A line that is no message: a child's stderr. */
  onLog?(line: string): void;
  /** A message was too large and was passed over; the link goes on. Without this, its beginning is noise. */
  onTooLarge?(message: CutMessage): void;
  /** Something came that cannot be a message (not text, for one); the link goes on if it can. */
  onNoise?(line: string): void;
}

export type MessageHandlers = Pick<LinkHandlers, "onMessage" | "onNoise" | "onTooLarge">;

const NOISE_LENGTH = 200;
const OPEN_BRACE = 0x7b;

/** Hands out the messages in one text: the text itself, or the elements of a JSON array. What cannot be cut is noise. */
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
