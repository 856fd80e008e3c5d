/** What a run found, as it is kept in JSON. */
import type { Stretch } from "./load/protocol.ts";
import { quantile, type Spread } from "./statistics.ts";

/** Some stretches of load on one subject, as one. Latencies in milliseconds, throughput in answers per second. */
export interface Round {
  readonly answers: number;
  readonly perSecond: number;
  readonly median: number;
  readonly p99: number;
  readonly errors: number;
  readonly reasons: readonly string[];
  /** The generator's own processor time, as a share of one core. */
  readonly busy: number;
  /** Microseconds of the subject's own processor time for each answer; not a number where it is not known. */
  readonly processor: number;
}

/** `used` is the subject's own processor time, in milliseconds. */
export function roundOf(stretches: readonly Stretch[], used: number): Round {
  const sum = (of: (stretch: Stretch) => number): number => stretches.reduce((total, each) => total + of(each), 0);
  const latencies = Float64Array.from(stretches.flatMap((stretch) => [...stretch.latencies])).sort();
  const elapsedMs = sum((stretch) => stretch.elapsedMs);
  return {
    answers: latencies.length,
    perSecond: (latencies.length / elapsedMs) * 1_000,
    median: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    errors: sum((stretch) => stretch.errors),
    reasons: stretches.flatMap((stretch) => stretch.reasons),
    busy: sum((stretch) => stretch.busyMs) / elapsedMs,
    processor: (used * 1_000) / latencies.length,
  };
}

export interface SubjectResult {
  readonly name: string;
  readonly what: string;
  readonly rounds: readonly Round[];
  /** Throughput against the first subject's of the same round. */
  readonly ratio?: Spread;
  /** Why it was not measured. */
  readonly missing?: string;
  /** One of ours that could not do its work, which is as bad as a wrong answer. */
  readonly failed?: boolean;
}

export interface WorkResult {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  /** The subject that the others are compared with. */
  readonly base: string;
  readonly subjects: readonly SubjectResult[];
}

export interface StartResult {
  readonly name: string;
  readonly milliseconds: readonly number[];
  readonly missing?: string;
}

/** Bytes for each idle session. */
export interface SessionsResult {
  readonly sessions: number;
  readonly resident: readonly number[];
  readonly heap: readonly number[];
}

export interface Machine {
  readonly date: string;
  readonly processor: string;
  readonly cores: number;
  readonly memory: string;
  readonly platform: string;
  readonly node: string;
  readonly versions: Readonly<Record<string, string>>;
}

export interface Results {
  readonly machine: Machine;
  readonly rounds: number;
  readonly seconds: number;
  readonly works: readonly WorkResult[];
  readonly starts: readonly StartResult[];
  readonly sessions?: SessionsResult;
}

export function subjectIn(results: Results, work: string, subject: string): SubjectResult | undefined {
  const found = results.works.find(({ name }) => name === work)?.subjects.find(({ name }) => name === subject);
  return found && found.rounds.length > 0 ? found : undefined;
}

export type Measured = "perSecond" | "median" | "p99" | "processor";

export function valuesOf({ rounds }: SubjectResult, what: Measured): number[] {
  return rounds.map((round) => round[what]);
}

/** Wrong or missing answers in everything that was measured. */
export function errorsIn(works: readonly WorkResult[]): readonly string[] {
  return works.flatMap(({ name: work, subjects }) =>
    subjects.flatMap(({ name, rounds, failed, missing }) => {
      if (failed) return [`${work}, ${name}: ${missing}`];
      const errors = rounds.reduce((sum, round) => sum + round.errors, 0);
      return errors === 0 ? [] : [`${work}, ${name}: ${errors} × ${rounds.flatMap(({ reasons }) => reasons)[0]}`];
    }),
  );
}
