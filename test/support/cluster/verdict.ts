/** Checks recorded calls against the ledgers of the sources: the guarantees that must hold under any fault. */
import { type Life, type LifeLedger, twoOwnersIn } from "./life-ledger.ts";

/**
 * The answer to a call: a result, or an error with this `delivery`. `lost`: no answer of a hub, because a connection broke. `untold`:
 * an error without `delivery`.
 */
export type Fate = "result" | "not_sent" | "unknown" | "executed" | "untold" | "lost";

export interface MadeCall {
  readonly tag: string;
  readonly source: string;
  readonly sentAt: number;
  answeredAt?: number;
  /** The node that answered. */
  via?: string | undefined;
  fate?: Fate;
  /** The text of the answer, if it was not a result. */
  said?: string;
}

export interface Verdict {
  readonly calls: number;
  readonly fates: Readonly<Record<Fate, number>>;
  readonly executions: number;
  readonly processes: number;
  readonly twice: readonly string[];
  readonly notSentButRan: readonly string[];
  readonly resultWithoutRun: readonly string[];
  readonly unanswered: readonly string[];
  /** Tags of executions that no client has requested. */
  readonly uncalled: readonly string[];
  readonly twoOwners: readonly string[];
}

export function judge(calls: readonly MadeCall[], ledgers: readonly LifeLedger[]): Verdict {
  const executions = ledgers.flatMap((ledger) => ledger.executions);
  const times = new Map<string, number>();
  for (const { tag } of executions) times.set(tag, (times.get(tag) ?? 0) + 1);
  const known = new Set(calls.map(({ tag }) => tag));
  const tagsWhere = (matches: (call: MadeCall, ran: number) => boolean): string[] =>
    calls.filter((call) => matches(call, times.get(call.tag) ?? 0)).map(({ tag }) => tag);
  return {
    calls: calls.length,
    fates: fatesOf(calls),
    executions: executions.length,
    processes: ledgers.flatMap(({ lives }) => lives).length,
    twice: [...times].flatMap(([tag, count]) => (count > 1 ? tag : [])),
    notSentButRan: tagsWhere(({ fate }, ran) => fate === "not_sent" && ran > 0),
    resultWithoutRun: tagsWhere(({ fate }, ran) => fate === "result" && ran === 0),
    unanswered: tagsWhere(({ answeredAt }) => answeredAt === undefined),
    uncalled: [...times.keys()].filter((tag) => !known.has(tag)),
    twoOwners: ledgers.flatMap(({ lives }) =>
      twoOwnersIn(lives).map(({ one, other, ms }) => `${shown(one)} beside ${shown(other)} for ${ms.toFixed(1)} ms`),
    ),
  };
}

/** The violated guarantees, in words; empty if all hold. */
export function faultsIn(verdict: Verdict): string[] {
  const { twice, notSentButRan, resultWithoutRun, unanswered, uncalled, twoOwners } = verdict;
  const lists = { twice, notSentButRan, resultWithoutRun, unanswered, uncalled, twoOwners };
  return Object.entries(lists).flatMap(([what, found]) =>
    found.length === 0 ? [] : `${what}: ${found.length}, as ${found.slice(0, 5).join(", ")}`,
  );
}

function fatesOf(calls: readonly MadeCall[]): Record<Fate, number> {
  const fates = { result: 0, not_sent: 0, unknown: 0, executed: 0, untold: 0, lost: 0 };
  for (const { fate } of calls) if (fate) fates[fate]++;
  return fates;
}

function shown({ source, pid, parent, bornAt, lastAt }: Life): string {
  return `process ${pid} of ${source} below hub ${parent} (${bornAt.toFixed(0)} to ${lastAt.toFixed(0)})`;
}
