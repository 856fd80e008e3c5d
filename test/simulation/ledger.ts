/**
 * What really happened in a history, written down by those to whom it happened: the sources (which children lived when, what
 * they executed) and the clients (how their calls ended, what they were asked, which writes were confirmed). Everything that
 * must never be is found here.
 */
import type { Outcome } from "../../src/cluster/messages.ts";
import type { World } from "./world.ts";

/** Something that must never be. */
export class Violation extends Error {}

/** What a client asked for; it travels with the call, so that the source does what was meant. */
export interface CallPlan {
  readonly call: string;
  readonly key: string;
  readonly runMs: number;
  readonly questions: number;
  /** When the source takes each of them back, where it has no answer by then. */
  readonly regretMs: number | undefined;
  readonly notes: number;
  readonly length: number;
  readonly cancelAfterMs: number | undefined;
  /** Whether its messages fare worse than those of others: most rare orders of events need several mishaps of one call. */
  readonly isUnlucky: boolean;
}

export interface CallRecord {
  readonly plan: CallPlan;
  readonly node: string;
  readonly boot: string;
  readonly startedAt: number;
  /** True time of its deadline on the entry's clock. */
  readonly deadlineAt: number;
  executions: number;
  outcome: Outcome | undefined;
  /** Its client went down with the entry. */
  isOrphan: boolean;
  /** To whom `go` was said last and not taken back since. */
  goneTo: string | undefined;
  asked: number;
}

export interface Life {
  readonly key: string;
  readonly epoch: number;
  readonly by: string;
  isAlive: boolean;
}

export class Ledger {
  readonly calls = new Map<string, CallRecord>();
  readonly lives = new Map<string, Life>();
  readonly writes = new Set<string>();
  readonly counts: Record<"result" | "not_sent" | "unknown" | "executed", number> = {
    result: 0,
    not_sent: 0,
    unknown: 0,
    executed: 0,
  };
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  fail(what: string): never {
    this.#world.note(() => `VIOLATION ${what}`);
    throw new Violation(`${(this.#world.now / 1_000).toFixed(4)} s: ${what}`);
  }

  begins(key: string, epoch: number, by: string): Life {
    const other = this.lives.get(key);
    if (other?.isAlive) this.fail(`two owners at work for ${key}: ${other.by} at ${other.epoch}, ${by} at ${epoch}`);
    const life: Life = { key, epoch, by, isAlive: true };
    this.lives.set(key, life);
    return life;
  }

  executes(plan: CallPlan, key: string, offered: number, epoch: number): void {
    const record = this.calls.get(plan.call) ?? this.fail(`${plan.call} was never made`);
    if (plan.key !== key) this.fail(`${plan.call} for ${plan.key} ran at ${key}`);
    if (offered !== epoch) this.fail(`${plan.call}, offered at epoch ${offered}, ran at epoch ${epoch} of ${key}`);
    if (++record.executions > 1) this.fail(`${plan.call} was executed twice`);
    this.#checkFate(record);
  }

  ends(call: string, outcome: Outcome, lateMs: number): void {
    const record = this.calls.get(call) ?? this.fail(`${call} was never made`);
    if (record.outcome) this.fail(`${call} ended twice`);
    if (lateMs > 0) this.fail(`${call} ended ${Math.round(lateMs)} ms too late`);
    record.outcome = outcome;
    this.counts[outcome.kind === "result" ? "result" : outcome.delivery]++;
    if (outcome.kind === "result" && outcome.text !== resultOf(record.plan)) this.fail(`${call} got another's result`);
    if (outcome.kind === "result" && record.executions !== 1) this.fail(`${call} has a result and did not run`);
    this.#checkFate(record);
  }

  /** When all is over: nobody is left without an answer, and where nothing went wrong, without a result. */
  checkEnd(mustSucceed: boolean): void {
    for (const { plan, outcome, isOrphan } of this.calls.values()) {
      if (!outcome && !isOrphan) this.fail(`${plan.call} never ended`);
      if (mustSucceed && outcome?.kind !== "result") this.fail(`${plan.call} failed: ${outcome?.code}`);
    }
  }

  #checkFate({ plan, outcome, executions }: CallRecord): void {
    if (outcome?.kind === "error" && outcome.delivery === "not_sent" && executions > 0)
      this.fail(`${plan.call} was told as not sent, and ran`);
  }
}

export function resultOf({ call, length }: CallPlan): string {
  return `${call}:`.padEnd(length, "x");
}
