/** A pipe for whole text messages. Links know bytes, sockets and processes, and nothing of MCP. */

import type { CancelSignal } from "../light-abort.ts";
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
   * May say what it was: `"unasked"` where nobody waited for it, `"question"` where it wants an answer besides. Of such
   * messages a link takes only so many (`intake.ts`).
   */
  onMessage(message: string): unknown;
  /** A line that is no message: a child's stderr. */
  onLog?(line: string): void;
  /** A message was too large and was passed over; the link goes on. Without this, its beginning is noise. */
  onTooLarge?(message: CutMessage): void;
  /** Something came that cannot be a message (not text, for one); the link goes on if it can. */
  onNoise?(line: string): void;
}
