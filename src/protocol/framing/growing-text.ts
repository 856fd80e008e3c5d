/**
 * The text of bytes that come in pieces. What comes in one piece, as most does, is not copied; more is gathered in a block that
 * doubles, so that a flood of tiny pieces costs no more than its bytes, and decoded whenever the block is full. Never is there a
 * block as large as the text: the C library keeps what large blocks leave behind, several times what is in use.
 */

const SMALL = 4096;
const LARGEST = 65_536;
const NOTHING = new Uint8Array(0);
/** Shared by all: each call of `decode` ends with a whole character, and leaves nothing in the decoder. */
const LENIENT = new TextDecoder("utf-8", { ignoreBOM: true });
const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class GrowingText {
  readonly #decoder: typeof LENIENT;
  #only: Uint8Array | undefined;
  #block: Uint8Array = NOTHING;
  /** How many bytes of the block are in use. */
  #filled = 0;
  #decoded: string[] = [];
  #length = 0;

  /** @param fatal whether `append` and `take` throw at what is no UTF-8; a byte-order mark is text like any other */
  constructor({ fatal = false }: { readonly fatal?: boolean } = {}) {
    this.#decoder = fatal ? STRICT : LENIENT;
  }

  /** The length of what was gathered, in bytes. */
  get length(): number {
    return this.#length;
  }

  /** The piece must not change until what was gathered is taken. */
  append(piece: Uint8Array): void {
    if (this.#length === 0) this.#only = piece;
    else {
      const only = this.#only;
      this.#only = undefined;
      if (only) this.#gather(only);
      this.#gather(piece);
    }
    this.#length += piece.length;
  }

  /** Returns what was gathered, and starts anew. */
  take(): string {
    const last = this.#decoder.decode(this.#only ?? this.#block.subarray(0, this.#filled));
    // Joined in one go: with `+` the whole text would be copied once more by whoever reads it first.
    const text = this.#decoded.length === 0 ? last : [...this.#decoded, last].join("");
    this.clear();
    return text;
  }

  clear(): void {
    this.#only = undefined;
    this.#filled = 0;
    this.#length = 0;
    if (this.#decoded.length > 0) this.#decoded = [];
    if (this.#block.length > SMALL) this.#block = NOTHING;
  }

  #gather(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      if (this.#filled === this.#block.length) this.#makeRoom(piece.length - at);
      const part = piece.subarray(at, at + this.#block.length - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
    }
  }

  #makeRoom(wanted: number): void {
    if (this.#block.length < LARGEST) this.#grow(this.#filled + wanted);
    else this.#decodeBlock();
  }

  #grow(needed: number): void {
    const size = Math.max(needed, Math.min(SMALL, needed * 4), this.#block.length * 2);
    const block = new Uint8Array(Math.min(size, LARGEST));
    block.set(this.#block.subarray(0, this.#filled));
    this.#block = block;
  }

  /** All but the last character, which may go on. */
  #decodeBlock(): void {
    const end = lastStart(this.#block);
    this.#decoded.push(this.#decoder.decode(this.#block.subarray(0, end)));
    this.#block.copyWithin(0, end);
    this.#filled -= end;
  }
}

/** Where the last character begins; behind them all if its bytes are too many for one. */
function lastStart(bytes: Uint8Array): number {
  for (let back = 1; back <= 4; back++) if (!isContinuation(bytes[bytes.length - back])) return bytes.length - back;
  return bytes.length;
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
