/**
 * The tests of `test/hard` in two lengths: short by themselves, and as long as the scorecard says where `npm run scorecard`
 * runs them. Each row hands in the figures it has seen; without one it does not pass.
 */
import { appendFileSync } from "node:fs";
import process from "node:process";

/** `document`: as long as the scorecard's text says; `full`: rows of an hour and more, too. */
const LENGTH = process.env["ZAGUAN_SCORECARD"] ?? "short";
const FIGURES = process.env["ZAGUAN_FIGURES"];

export interface Figure {
  readonly row: number;
  /** What was measured, in a few words: `executed twice`. */
  readonly what: string;
  /** As it was seen, with its unit: `0 of 10,000`. */
  readonly seen: string;
}

/** How much of something a row does. */
export function sized(short: number, document: number, full = document): number {
  if (LENGTH === "full") return full;
  return LENGTH === "document" ? document : short;
}

export function figure(row: number, what: string, seen: string | number): void {
  const line = { row, what, seen: String(seen) } satisfies Figure;
  if (FIGURES) appendFileSync(FIGURES, `${JSON.stringify(line)}\n`);
  console.log(`row ${row}: ${what}: ${line.seen}`);
}
