/** Whether a database can be written: known from writes that failed and, when somebody asks, from a small one that is tried. */

/** For how long it is believed that the database can be written: a try waits for the disk, and anybody may ask. */
const BELIEVED_MS = 5_000;
/** For how long it is believed that the database cannot be written. */
const AGAIN_MS = 1_000;

export class WriteHealth {
  readonly #look: () => void;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #fault: string | undefined;
  #listener: (fault: string | undefined) => void = () => {};

  /** `look` tries a write and tells by `found` what came of it, at once or later. */
  constructor(look: () => void) {
    this.#look = look;
  }

  fault(): string | undefined {
    const believedMs = this.#fault === undefined ? BELIEVED_MS : AGAIN_MS;
    if (performance.now() - this.#checkedAt >= believedMs) {
      this.#checkedAt = performance.now();
      this.#look();
    }
    return this.#fault;
  }

  /** What is known already, without a look. */
  get known(): string | undefined {
    return this.#fault;
  }

  /** Of any write: why it could not be done, or undefined where it was. */
  found(fault: string | undefined): void {
    this.#checkedAt = performance.now();
    if (fault === this.#fault) return;
    this.#fault = fault;
    this.#listener(fault);
  }

  onChange(listener: (fault: string | undefined) => void): void {
    this.#listener = listener;
  }
}

/** The small write. Its row belongs to the database itself: nobody reads it, and it is not moved to another one. */
export const PROBE =
  "INSERT INTO documents (collection, key, value) VALUES ('store', 'probe', ?) " +
  "ON CONFLICT (collection, key) DO UPDATE SET value = excluded.value";
