/**
 * Whole messages, one per line, into a pipe. While the pipe holds too much, further messages wait here, in order, where
 * it is certain that they have not left and where their senders can take them back. A rejected send may be ignored: it
 * never becomes an unhandled rejection.
 */
import type { Writable } from "node:stream";
import type { ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { givenUp } from "./http-failures.ts";
import { TAKEN } from "./link.ts";

interface PipeWriterOptions {
  /** Why nothing can be sent any more; asked for each message refused. */
  refusal(): ZaguanError;
  /** Why no more may wait; asked for each message beyond 16 MiB. Without it there is no bound. */
  overflow?(): ZaguanError;
  /** Stands in for the stream's own, for a stream whose `write` leads elsewhere. */
  write?(line: string, done?: () => void): void;
  /** Told when messages begin to wait or are about to, and when the pipe has taken enough to go on. */
  onFull?(full: boolean): void;
}

interface WaitingMessage {
  readonly line: string;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: ZaguanError) => void;
  /** Stops listening for the sender's leaving. */
  readonly stop: () => void;
}

const GATHERED_CHARS = 65_536;
const FULL_BYTES = 1_048_576;
const WAITING_BYTES = 16_777_216;

export class PipeWriter {
  readonly #stream: Writable;
  readonly #options: PipeWriterOptions;
  readonly #write: (line: string, done?: () => void) => void;
  readonly #waiting = new Set<WaitingMessage>();
  #waitingBytes = 0;
  #full = false;
  #closed = false;
  /** What leaves with the end of this turn of the event loop, and who wants to know of it. */
  #gathered = "";
  #tellLeft: (() => void)[] = [];
  #isGathering = false;

  constructor(stream: Writable, options: PipeWriterOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#write = options.write?.bind(options) ?? ((line, done) => this.#gather(line, done));
    stream.on("drain", () => this.#flush());
  }

  /** The bytes that were accepted or wait, and have not left. */
  get unsent(): number {
    return this.#waitingBytes + this.#gathered.length + this.#stream.writableLength;
  }

  /**
   * Resolves when the pipe has taken the message; at once, and at no cost, unless the pipe is full. Until then the signal
   * takes it back.
   */
  send(message: string, signal?: CancelSignal): Promise<void> {
    const line = `${onOneLine(message)}\n`;
    if (this.#closed || !this.#stream.writable) return refused(this.#options.refusal());
    if (signal?.aborted) return refused(givenUp(signal));
    if (this.#mustWait()) return this.#queue(line, signal);
    this.#write(line);
    this.#tellFull(this.#mustWait());
    return TAKEN;
  }

  /** Resolves when all that was sent so far has left, or never will. */
  async emptied(): Promise<void> {
    if (this.#waiting.size > 0) await this.#wait("", 0).catch(() => {});
    await new Promise<void>((resolve) => this.#write("", () => resolve()));
  }

  /** Nothing is written from now on but what was taken already: what waits, and all that comes, is refused. */
  close(): void {
    this.#closed = true;
    if (this.#gathered !== "") this.#pour();
    for (const message of this.#waiting) {
      this.#remove(message);
      message.reject(this.#options.refusal());
    }
  }

  /** What many callers send in one turn of the event loop leaves in one write: a system call costs more than a message. */
  #gather(line: string, done?: () => void): void {
    if (!this.#isGathering) setImmediate(this.#letGo);
    this.#isGathering = true;
    this.#gathered += line;
    if (done) this.#tellLeft.push(done);
    // More would only be copied once more.
    if (this.#gathered.length > GATHERED_CHARS) this.#pour();
  }

  readonly #letGo = (): void => {
    this.#isGathering = false;
    if (this.#gathered !== "" || this.#tellLeft.length > 0) this.#pour();
  };

  #pour(): void {
    const [text, tellLeft] = [this.#gathered, this.#tellLeft];
    this.#gathered = "";
    if (tellLeft.length === 0) return void this.#stream.write(text);
    this.#tellLeft = [];
    this.#stream.write(text, () => {
      for (const tell of tellLeft) tell();
    });
  }

  #mustWait(): boolean {
    return this.#waiting.size > 0 || this.#isFull();
  }

  #isFull(): boolean {
    return this.#gathered.length + this.#stream.writableLength > FULL_BYTES;
  }

  #queue(line: string, signal?: CancelSignal): Promise<void> {
    const { overflow } = this.#options;
    const bytes = Buffer.byteLength(line);
    // The first may be of any size: alone it would fit as soon as the pipe is read.
    const over = this.#waiting.size > 0 && this.#waitingBytes + bytes > WAITING_BYTES;
    return overflow && over ? refused(overflow()) : this.#wait(line, bytes, signal);
  }

  #wait(line: string, bytes: number, signal?: CancelSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {});
    const onAbort = (): void => {
      this.#remove(message);
      if (signal) reject(givenUp(signal));
    };
    const stop = (): void => signal?.removeEventListener("abort", onAbort);
    const message: WaitingMessage = { line, bytes, resolve, reject, stop };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#waiting.add(message);
    this.#waitingBytes += bytes;
    this.#tellFull(true);
    return promise;
  }

  #remove(message: WaitingMessage): void {
    message.stop();
    if (this.#waiting.delete(message)) this.#waitingBytes -= message.bytes;
  }

  #flush(): void {
    for (const message of this.#waiting) {
      if (this.#isFull()) break;
      this.#remove(message);
      this.#write(message.line);
      message.resolve();
    }
    this.#tellFull(this.#mustWait());
  }

  #tellFull(full: boolean): void {
    if (this.#full === full) return;
    this.#full = full;
    this.#options.onFull?.(full);
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
