/** Which counters of one sender were seen already: the last 4,096 exactly, everything before counts as seen (as in RFC 4303, 3.4.3). */

const SIZE = 4_096;
const WORD = 32;

export class ReplayWindow {
  /** The bit of a counter is at its remainder; those of counters that come next are cleared before. */
  readonly #bits = new Uint32Array(SIZE / WORD);
  #highest = 0;

  /** Also true for one that is too old to know. */
  has(counter: number): boolean {
    if (counter > this.#highest) return false;
    if (counter <= this.#highest - SIZE) return true;
    const bit = counter % SIZE;
    return (((this.#bits[Math.floor(bit / WORD)] ?? 0) >>> (bit % WORD)) & 1) === 1;
  }

  add(counter: number): void {
    this.#advanceTo(counter);
    const bit = counter % SIZE;
    const word = Math.floor(bit / WORD);
    this.#bits[word] = (this.#bits[word] ?? 0) | (1 << (bit % WORD));
  }

  #advanceTo(counter: number): void {
    if (counter <= this.#highest) return;
    if (counter - this.#highest >= SIZE) this.#bits.fill(0);
    else for (let next = this.#highest + 1; next <= counter; next++) this.#clear(next % SIZE);
    this.#highest = counter;
  }

  #clear(bit: number): void {
    const word = Math.floor(bit / WORD);
    this.#bits[word] = (this.#bits[word] ?? 0) & ~(1 << (bit % WORD));
  }
}
