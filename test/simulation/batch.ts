/** Many histories one after the other, with what they amount to; it ends with the first that is bad. */
import { History, type HistoryOptions } from "./history.ts";

export interface Batch {
  readonly histories: number;
  readonly calls: number;
  readonly faults: number;
  /** How often a key began to be held. */
  readonly moves: number;
  readonly writes: number;
  readonly results: number;
  readonly notSent: number;
  readonly unknown: number;
  readonly failure: { readonly seed: number; readonly what: string; readonly trace: readonly string[] } | undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function runBatch(
  first: number,
  histories: number,
  options: HistoryOptions,
  onEach?: (done: Batch) => void,
): Batch {
  const sum: Mutable<Batch> = {
    histories: 0,
    calls: 0,
    faults: 0,
    moves: 0,
    writes: 0,
    results: 0,
    notSent: 0,
    unknown: 0,
    failure: undefined,
  };
  for (let seed = first; seed < first + histories && !sum.failure; seed++) {
    const result = new History(seed, options).run();
    sum.histories++;
    sum.calls += result.calls;
    sum.faults += result.faults;
    sum.moves += result.moves;
    sum.writes += result.writes;
    sum.results += result.counts.result;
    sum.notSent += result.counts.not_sent;
    sum.unknown += result.counts.unknown;
    // The same seed makes the same history: only a bad one is told at length.
    if (result.violation !== undefined)
      sum.failure = {
        seed,
        what: result.violation,
        trace: new History(seed, { ...options, isTraced: true }).run().trace,
      };
    onEach?.(sum);
  }
  return sum;
}
