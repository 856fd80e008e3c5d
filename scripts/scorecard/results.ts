/** What each row showed when it was last run, kept in a file beside the page. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Outcome } from "./run-row.ts";

export interface Result extends Omit<Outcome, "said"> {
  readonly length: "document" | "full";
  /** `2026-11-16` */
  readonly date: string;
  /** Of the source that was tested; with a `+` if it had been changed since. */
  readonly commit: string;
}

/** By the row's number. */
export type Results = Readonly<Record<string, Result>>;

export function readResults(file: string): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Results) : {};
}

export function writeResults(file: string, results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}

export type Verdict = "passed" | "failed" | "not yet" | "not run";

export function verdictOf(files: readonly string[], result: Result | undefined): Verdict {
  if (files.length === 0) return "not yet";
  if (!result) return "not run";
  return result.passed ? "passed" : "failed";
}
