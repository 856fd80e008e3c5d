/**
 * How much of a document is read. Every limit ends in an error that says what was too much: a document comes from
 * anywhere, and reading it must neither take the process's memory nor keep the other callers waiting.
 */
import { fault } from "./lookup.ts";

export interface ReadLimits {
  /** The size limit of the whole text, in UTF-8. */
  readonly bytes: number;
  /** Of a text in YAML, which takes thirty times as long to read as JSON. */
  readonly yamlBytes: number;
  /** Pieces that the YAML reader may cut the text into. */
  readonly yamlTokens: number;
  readonly yamlAliases: number;
  /** Values in the document, those behind a YAML alias counted every time. */
  readonly parts: number;
  readonly depth: number;
  readonly operations: number;
}

export const READ_LIMITS: ReadLimits = {
  bytes: 16_000_000,
  yamlBytes: 5_000_000,
  yamlTokens: 600_000,
  yamlAliases: 10_000,
  parts: 1_000_000,
  depth: 100,
  operations: 2_000,
};

/** Honest documents of a thousand operations take a tenth of it. */
const MOST_STEPS = 800_000;

/** A budget for all operations of one document together: each of them can reach the same parts again. */
export class StepCount {
  #steps = 0;

  add(steps: number): void {
    this.#steps += steps;
    if (this.isSpent) throw fault("", "its parts are used too often to be written out; choose tags or paths");
  }

  /** From here on nothing can be read, so that it is no fault of one operation. */
  get isSpent(): boolean {
    return this.#steps > MOST_STEPS;
  }
}
