/** Whether the database can be written: known from the results of writes and, when asked, from a small probe write. */

/** How long a successful write counts before `fault` starts another probe. A probe waits for the disk, and anybody may ask. */
const HEALTHY_MS = 5_000;
/** How long a failed write counts before `fault` starts another probe. */
const FAULTY_MS = 1_000;

export class WriteHealth {
  readonly #probe: () => void;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #fault: string | undefined;
  #listener: (fault: string | undefined) => void = () => {};

  /** `probe` tries a write and reports the result with `found`, at once or later. */
  constructor(probe: () => void) {
    this.#probe = probe;
  }

  fault(): string | undefined {
    const validMs = this.#fault === undefined ? HEALTHY_MS : FAULTY_MS;
    if (performance.now() - this.#checkedAt >= validMs) {
      this.#checkedAt = performance.now();
      this.#probe();
    }
    return this.#fault;
  }

  /** The fault that is known already, without a new probe. */
  get known(): string | undefined {
    return this.#fault;
  }

  /** Reports the result of any write: why it failed, or undefined if it succeeded. */
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

/** The probe write. Its row is never read, and is not moved to another database. */
export const PROBE =
  "INSERT INTO documents (collection, key, value) VALUES ('store', 'probe', ?) " +
  "ON CONFLICT (collection, key) DO UPDATE SET value = excluded.value";
