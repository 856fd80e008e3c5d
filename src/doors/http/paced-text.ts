/**
 * Text on its way to a client, piece by piece: the next piece is handed to Node when the one before has left. What waits is
 * our text alone; handed over whole, it would lie in memory a second time, in blocks that the C library does not give back.
 */
import type { ServerResponse } from "node:http";
import { hasWritten, isUnread, type Reader } from "./unread.ts";

const PIECE = 65_536;

export class PacedText implements Reader {
  readonly #response: ServerResponse;
  #waiting: string[] = [];
  /** How many characters of the first waiting text have been handed over. */
  #at = 0;
  #length = 0;
  #isEnding = false;
  #isDraining = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.once("close", () => this.#forget());
  }

  /** In characters, as Node counts text. */
  get writableLength(): number {
    return this.#response.writableLength + this.#length;
  }

  get destroyed(): boolean {
    return this.#response.destroyed;
  }

  /** Whether what is written can still leave. */
  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#isEnding;
  }

  write(text: string): void {
    if (this.#length === 0 && text.length <= PIECE) this.#handOver(text);
    else {
      this.#waiting.push(text);
      this.#length += text.length;
      if (!this.#isDraining) this.#go();
    }
    hasWritten(this, this.#response.req.socket);
  }

  /** When all has been handed over. */
  end(): void {
    this.#isEnding = true;
    if (this.#length === 0) this.#response.end();
    if (this.writableLength > 0) isUnread(this, this.#response.req.socket);
  }

  destroy(): void {
    this.#forget();
    this.#response.destroy();
  }

  #forget(): void {
    this.#waiting = [];
    this.#length = 0;
  }

  #go(): void {
    while (this.#length > 0 && !this.#isDraining) this.#handOver(this.#next());
    if (this.#length === 0 && this.#isEnding) this.#response.end();
  }

  #next(): string {
    const [text = ""] = this.#waiting;
    const end = pieceEnd(text, this.#at);
    const piece = text.slice(this.#at, end);
    this.#length -= piece.length;
    this.#at = end;
    if (end === text.length) {
      this.#waiting.shift();
      this.#at = 0;
    }
    return piece;
  }

  #handOver(piece: string): void {
    if (this.#response.write(piece) || this.#isDraining) return;
    this.#isDraining = true;
    this.#response.once("drain", () => {
      this.#isDraining = false;
      this.#go();
    });
  }
}

/** The end of the next piece, never between the two halves of a surrogate pair. */
function pieceEnd(text: string, start: number): number {
  const end = Math.min(start + PIECE, text.length);
  const last = text.charCodeAt(end - 1);
  const isCut = end < text.length && last >= 0xd800 && last < 0xdc00;
  return isCut ? end - 1 : end;
}
