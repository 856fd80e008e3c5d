/** A large answer in parts: cut by its sender, of which only a few are on the way at a time, and put together by its receiver. */

/** In UTF-16 units: as JSON text in UTF-8, even of control characters alone, a part fits into the 1 MiB of a NATS message. */
export const PART_LENGTH = 131_072;
/** Parts on the way that nobody has confirmed. */
export const WINDOW = 4;
const MOST_PARTS = 4_096;

/** At least one part; none ends in the middle of a surrogate pair, which UTF-8 could not carry. */
export function cut(text: string): string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length || parts.length === 0; ) {
    let to = Math.min(text.length, from + PART_LENGTH);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to--;
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Keeps at most a window of parts beyond the first gap. */
export class IncomingParts {
  #parts: string[] = [];
  readonly #early = new Map<number, string>();

  /** How many came without a gap. */
  get have(): number {
    return this.#parts.length;
  }

  take(index: number, text: string): void {
    if (index < this.have || index >= Math.min(this.have + WINDOW, MOST_PARTS)) return;
    this.#early.set(index, text);
    for (let next = this.#early.get(this.have); next !== undefined; next = this.#early.get(this.have)) {
      this.#early.delete(this.have);
      this.#parts.push(next);
    }
  }

  whole(): string {
    return this.#parts.join("");
  }
}
