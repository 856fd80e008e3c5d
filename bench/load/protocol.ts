/** What the bench asks of the load generator, and what it hears back. Everything here goes between two processes. */

export type Era = "2025" | "2026" | "bare";

/** Where the load goes. */
export type Target =
  /** At most so many sessions; the connections share them. Without a number each has its own. */
  | { readonly kind: "http"; readonly url: string; readonly sessions?: number }
  | { readonly kind: "websocket"; readonly url: string }
  | { readonly kind: "stdio"; readonly command: string; readonly args: readonly string[] };

/** What is asked, over and over. */
export interface Question {
  readonly method: "tools/call" | "tools/list";
  readonly era: Era;
  /** Of the text that is echoed. */
  readonly bytes: number;
  /** How many tools a list must have. */
  readonly tools: number;
  /** The prefixes of the sources that calls go to in turn; one empty prefix for a single source. */
  readonly prefixes: readonly string[];
}

export interface Load {
  readonly target: Target;
  readonly question: Question;
  readonly connections: number;
}

/** One stretch of load. */
export interface Stretch {
  readonly answers: number;
  /** Of each answer, in milliseconds. */
  readonly latencies: Float64Array;
  readonly elapsedMs: number;
  readonly errors: number;
  /** The first few errors, in words. */
  readonly reasons: readonly string[];
  /** The generator's own processor time. */
  readonly busyMs: number;
}

export type Order =
  | { readonly order: "open"; readonly key: string; readonly load: Load }
  | { readonly order: "run"; readonly key: string; readonly seconds: number }
  | { readonly order: "fill"; readonly url: string; readonly sessions: number }
  | { readonly order: "close"; readonly key: string };

export type Numbered<T> = T & { readonly number: number };
export type Report = { readonly number: number } & ({ readonly result: Stretch | null } | { readonly failure: string });
