/** Bytes gathered piece by piece in one block that doubles, so that a flood of tiny pieces costs no more than its bytes. */

const SMALL = 4096;

export class GrowingBytes {
  #block: Uint8Array = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Copies: the piece stays the caller's. */
  append(piece: Uint8Array): void {
    const needed = this.#length + piece.length;
    if (needed > this.#block.length) this.#grow(needed);
    this.#block.set(piece, this.#length);
    this.#length = needed;
  }

  /** What was gathered, good until the next `append`, and an empty start. A large block is not kept for the next. */
  take(): Uint8Array {
    const bytes = this.#block.subarray(0, this.#length);
    this.#length = 0;
    if (this.#block.length > SMALL) this.#block = new Uint8Array(0);
    return bytes;
  }

  #grow(needed: number): void {
    const block = new Uint8Array(Math.max(needed, Math.min(SMALL, needed * 4), this.#block.length * 2));
    block.set(this.#block.subarray(0, this.#length));
    this.#block = block;
  }
}
