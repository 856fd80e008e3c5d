/**
 * Whole messages, one per line, into a pipe. While the pipe holds too much, further messages wait here, in order, where
 * it is certain that they have not left. A rejected send may be ignored: it never becomes an unhandled rejection.
 */
import type { Writable } from "node:stream";
import type { ZaguanError } from "../errors.ts";

const FULL_BYTES = 1_048_576;
const ACCEPTED: Promise<void> = Promise.resolve();

interface WaitingMessage {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: ZaguanError) => void;
}

export class PipeWriter {
  readonly #stream: Writable;
  readonly #refusal: () => ZaguanError;
  readonly #write: (line: string) => void;
  #waiting: WaitingMessage[] = [];
  #closed = false;

  /**
   * @param refusal why nothing can be sent any more; asked for each message refused
   * @param write stands in for the stream's own, for a stream whose `write` leads elsewhere
   */
  constructor(stream: Writable, refusal: () => ZaguanError, write?: (line: string) => void) {
    this.#stream = stream;
    this.#refusal = refusal;
    this.#write = write ?? ((line) => stream.write(line));
    stream.on("drain", () => this.#flush());
  }

  /** Resolves when the pipe has taken the message; at once, and at no cost, unless the pipe is full. */
  send(message: string): Promise<void> {
    const line = `${onOneLine(message)}\n`;
    if (this.#closed || !this.#stream.writable) return refused(this.#refusal());
    if (this.#waiting.length > 0 || this.#stream.writableLength > FULL_BYTES) return this.#wait(line);
    this.#write(line);
    return ACCEPTED;
  }

  /** Nothing is written from now on: what waits, and all that comes, is refused. */
  close(): void {
    this.#closed = true;
    for (const message of this.#waiting.splice(0)) message.reject(this.#refusal());
  }

  #wait(line: string): Promise<void> {
    const accepted = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ line, resolve, reject });
    });
    accepted.catch(() => {});
    return accepted;
  }

  #flush(): void {
    let sent = 0;
    for (const message of this.#waiting) {
      if (this.#stream.writableLength > FULL_BYTES) break;
      this.#write(message.line);
      message.resolve();
      sent += 1;
    }
    this.#waiting.splice(0, sent);
  }
}

/** JSON that somebody printed prettily has line breaks between its tokens, and nowhere else: here a break ends a message. */
function onOneLine(message: string): string {
  return message.includes("\n") || message.includes("\r") ? message.replace(/[\r\n]+/g, " ") : message;
}

function refused(error: ZaguanError): Promise<void> {
  const refusal = Promise.reject(error);
  refusal.catch(() => {});
  return refusal;
}
