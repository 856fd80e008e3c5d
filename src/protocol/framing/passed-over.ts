/**
 * A message that is larger than its limit and is therefore read to its end without being kept: only its beginning, its
 * end and its size are. That is enough to find out whose answer it is, and takes the same memory whatever its size.
 */

/** How much of the beginning is kept, in bytes. */
const HEAD_BYTES = 8192;
/** How much of the end is kept, in bytes: room for an id and a few short members after it. */
const TAIL_BYTES = 2048;
/** A message that is so many times larger than its limit has no end that is worth waiting for. */
const ENDLESS_FACTOR = 64;

export interface CutMessage {
  /** The size of the whole message, with what was not kept. */
  readonly bytes: number;
  /** The limit that it exceeded, in bytes. */
  readonly limit: number;
  /** Its first 8 KiB at most. */
  readonly head: string;
  /** Its last 2 KiB at most; a short message may be in both. */
  readonly tail: string;
}

export class PassedOver {
  readonly #limit: number;
  readonly #head = new Uint8Array(HEAD_BYTES);
  #tail: Uint8Array = new Uint8Array(0);
  #bytes = 0;

  constructor(limit: number, ...begin: readonly Uint8Array[]) {
    this.#limit = limit;
    for (const piece of begin) this.push(piece);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** As text; a character that the cut went through is left out. */
  get head(): string {
    const head = this.#head.subarray(0, this.#bytes);
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(head, { stream: true });
  }

  get isEndless(): boolean {
    return this.#bytes > this.#limit * ENDLESS_FACTOR;
  }

  push(piece: Uint8Array): void {
    const room = HEAD_BYTES - this.#bytes;
    if (room > 0) this.#head.set(piece.subarray(0, room), this.#bytes);
    this.#bytes += piece.length;
    const isEnough = piece.length >= TAIL_BYTES;
    this.#tail = isEnough ? piece.slice(-TAIL_BYTES) : Buffer.concat([this.#tail, piece]).subarray(-TAIL_BYTES);
  }

  /** To be called at the end of the message. */
  cut(): CutMessage {
    const tail = new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#tail);
    return { bytes: this.#bytes, limit: this.#limit, head: this.head, tail };
  }
}
