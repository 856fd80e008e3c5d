/** Whether a database can be written: known from writes that failed and, when somebody asks, from a small one that is tried. */
import { ZaguanError } from "../../errors.ts";

/** For how long it is believed that the database can be written: a try waits for the disk, and anybody may ask. */
const BELIEVED_MS = 5_000;
/** For how long it is believed that the database cannot be written. */
const AGAIN_MS = 1_000;

export class WriteHealth {
  readonly #probe: () => unknown;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #fault: string | undefined;
  #listener: (fault: string | undefined) => void = () => {};

  /** `probe` writes something, and fails as any write does, but does not wait for a lock. */
  constructor(probe: () => unknown) {
    this.#probe = probe;
  }

  fault(): string | undefined {
    const believedMs = this.#fault === undefined ? BELIEVED_MS : AGAIN_MS;
    if (performance.now() - this.#checkedAt >= believedMs) this.#check();
    return this.#fault;
  }

  /** Of any write. What is no fault of the disk, such as a name that is taken, says nothing of it. */
  failed(cause: unknown): void {
    const reason = reasonOf(cause);
    if (reason !== undefined) this.#found(reason);
  }

  onChange(listener: (fault: string | undefined) => void): void {
    this.#listener = listener;
  }

  #check(): void {
    try {
      this.#probe();
      this.#found(undefined);
    } catch (cause) {
      this.#checkedAt = performance.now();
      // Another process may be writing at this very moment, which shows that it can be done.
      if (reasonOf(cause) !== LOCKED) this.failed(cause);
    }
  }

  #found(fault: string | undefined): void {
    this.#checkedAt = performance.now();
    if (fault === this.#fault) return;
    this.#fault = fault;
    this.#listener(fault);
  }
}

const LOCKED = "another process keeps the database locked";

/** By SQLite's primary result code, the low byte of `errcode`. */
const FAULTS: ReadonlyMap<number, string> = new Map([
  [5, LOCKED],
  [8, "the database is read-only"],
  [10, "the disk cannot be read or written"],
  [11, "the database is damaged"],
  [13, "the disk is full"],
  [14, "the disk cannot be read or written"],
  [26, "the database is damaged"],
]);

function reasonOf(cause: unknown): string | undefined {
  return cause instanceof ZaguanError ? faultIn(cause.cause) : undefined;
}

/** Why the database could not do it, in words that `messages/en/details.ts` has; undefined if it is our fault. */
export function faultIn(cause: unknown): string | undefined {
  return FAULTS.get(((cause as { errcode?: number } | null)?.errcode ?? 0) % 256);
}
