/** Why SQLite could not do something, in words that `messages/en/details.ts` has. */

export const LOCKED = "another process keeps the database locked";

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

/** Undefined if it is our fault. */
export function faultIn(cause: unknown): string | undefined {
  return FAULTS.get(((cause as { errcode?: number } | null)?.errcode ?? 0) % 256);
}
