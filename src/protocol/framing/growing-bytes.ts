/**
 * Bytes gathered piece by piece in one block that doubles, so that a flood of tiny pieces costs no more than its bytes.
 * What comes in one piece, as most does, is not copied at all: making a block costs more than all else done with it.
 */

const SMALL = 4096;
const NOTHING = new Uint8Array(0);

export class GrowingBytes {
  #only: Uint8Array | undefined;
  #block: Uint8Array = NOTHING;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The piece must not change until what was gathered is taken. */
  append(piece: Uint8Array): void {
    if (this.#length === 0) this.#only = piece;
    else this.#copy(piece);
    this.#length += piece.length;
  }

  /** What was gathered, good until the next `append`, and an empty start. A large block is not kept for the next. */
  take(): Uint8Array {
    const bytes = this.#only ?? this.#block.subarray(0, this.#length);
    this.#only = undefined;
    this.#length = 0;
    if (this.#block.length > SMALL) this.#block = NOTHING;
    return bytes;
  }

  #copy(piece: Uint8Array): void {
    const needed = this.#length + piece.length;
    if (needed > this.#block.length) this.#grow(needed);
    if (this.#only) this.#block.set(this.#only);
    this.#only = undefined;
    this.#block.set(piece, this.#length);
  }

  #grow(needed: number): void {
    const block = new Uint8Array(Math.max(needed, Math.min(SMALL, needed * 4), this.#block.length * 2));
    if (!this.#only) block.set(this.#block.subarray(0, this.#length));
    this.#block = block;
  }
}
