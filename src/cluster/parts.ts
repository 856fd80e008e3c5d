/** Large answers in parts: the sender splits them and has a few parts in flight at a time, the receiver joins them. */

/** In UTF-16 units. As JSON in UTF-8 even a part of control characters alone fits into the 1 MiB of a NATS message. */
export const PART_LENGTH = 131_072;
/** How many parts may be in flight unconfirmed. */
export const WINDOW = 4;
const MOST_PARTS = 4_096;

/** Splits a text into at least one part. No part ends inside a surrogate pair, which UTF-8 could not encode. */
export function split(text: string): string[] {
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

/** Collects parts in any order; at most a window of them beyond the first gap. */
export class IncomingParts {
  #parts: string[] = [];
  readonly #early = new Map<number, string>();

  /** How many parts have arrived without a gap. */
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
