/**
 * Lines out of a stream of bytes that is cut anywhere. Memory is bounded: a line longer than the limit is passed over to
 * its newline and told once. Work is linear in the bytes, however small the pieces that they come in.
 */
import { GrowingText } from "./growing-text.ts";
import { type CutMessage, PassedOver } from "./passed-over.ts";

const NEWLINE = 0x0a;
/** Short lines are decoded together, this many bytes at once: a call of the decoder costs more than a short line. */
const RUN_BYTES = 4096;

/** Who is told of a line that is too long: at once, at its newline, or both. */
interface LongLineHandlers {
  /** Bytes so far, and the line's first 8 KiB at most. */
  onTooLong?(bytes: number, head: string): void;
  onPassed?(line: CutMessage): void;
}

export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #handlers: LongLineHandlers;
  readonly #runBytes: number;
  // A byte order mark is not ours to swallow, whichever line it stands in.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** What waits for its newline. */
  readonly #waiting = new GrowingText();
  #passing: PassedOver | undefined;

  /** @param maxBytes the longest line, its newline not counted */
  constructor(maxBytes: number, onLine: (line: string) => void, handlers: LongLineHandlers = {}) {
    this.#maxBytes = maxBytes;
    this.#runBytes = Math.min(RUN_BYTES, maxBytes);
    this.#onLine = onLine;
    this.#handlers = handlers;
  }

  /** A line is being passed over whose end is not worth waiting for. */
  get isEndless(): boolean {
    return this.#passing?.isEndless === true;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    if (this.#waiting.length > 0 || this.#passing) {
      const newline = chunk.indexOf(NEWLINE);
      this.#keep(newline < 0 ? chunk : chunk.subarray(0, newline));
      if (newline < 0) return;
      this.#finish();
      start = newline + 1;
    }
    while (start < chunk.length) {
      const end = this.#deliver(chunk, start);
      if (end < 0) break;
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** No more bytes will come: a last line without newline is a line. */
  end(): void {
    if (this.#waiting.length > 0 || this.#passing) this.#finish();
  }

  /** Delivers as many whole lines as fit one run, or the one long line, from `start`; returns where its newline is. */
  #deliver(chunk: Uint8Array, start: number): number {
    const limit = Math.min(chunk.length, start + this.#runBytes);
    // Never searches far: before `start` there is the newline of the line before, or the chunk begins.
    const last = chunk.lastIndexOf(NEWLINE, limit - 1);
    if (last >= start) {
      this.#deliverRun(this.#decoder.decode(chunk.subarray(start, last)));
      return last;
    }
    const end = chunk.indexOf(NEWLINE, limit);
    if (end < 0) return -1;
    if (end - start > this.#maxBytes) {
      this.#pass(chunk.subarray(start, end));
      this.#finish();
    } else this.#onLine(withoutReturn(this.#decoder.decode(chunk.subarray(start, end))));
    return end;
  }

  // Splitting after decoding gives the same lines: in UTF-8 the newline's byte is never part of another character, and
  // it ends a broken one.
  #deliverRun(text: string): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#onLine(withoutReturn(text.slice(start, end)));
      start = end + 1;
    }
    this.#onLine(withoutReturn(start === 0 ? text : text.slice(start)));
  }

  #keep(part: Uint8Array): void {
    if (this.#passing) this.#passing.push(part);
    else if (this.#waiting.length + part.length > this.#maxBytes) this.#pass(part);
    else this.#waiting.append(part);
  }

  #pass(part: Uint8Array): void {
    this.#passing = new PassedOver(this.#maxBytes, Buffer.from(this.#waiting.take()), part);
    this.#handlers.onTooLong?.(this.#passing.bytes, this.#passing.head);
  }

  #finish(): void {
    const passed = this.#passing;
    this.#passing = undefined;
    if (passed) {
      this.#handlers.onPassed?.(passed.cut());
      return;
    }
    this.#onLine(withoutReturn(this.#waiting.take()));
  }
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
