/**
 * Where countdowns are kept, as one document that is changed as one. A countdown is marked as running before anything is
 * called, and only by whoever finds it unmarked: so none runs twice, with two processes or after a crash.
 */
import type { DocumentTable } from "../../store/store.ts";
import type { Starter } from "../ability.ts";

export interface KeptTimer {
  readonly id: number;
  /** In whose name it is carried out, and who may see it. Absent in what older versions kept. */
  readonly starter?: Starter | undefined;
  /** As it was given. */
  readonly command: string;
  readonly description: string;
  /** Seconds. */
  readonly delay: number;
  /** Times of day, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly dueAt: number;
  /** Set before it is carried out. */
  readonly runningSince?: number | undefined;
}

export interface KeptRun extends KeptTimer {
  /** "refused": nothing was called, since its starter may not call it any more. */
  readonly status: "done" | "failed" | "refused" | "unknown" | "missed";
  readonly endedAt: number;
  /** What the tool answered. */
  readonly result?: string | undefined;
  /** Why it failed: a row of `errors.ts`, STARTER_GONE, or a source's own words. */
  readonly error?: {
    readonly code: string;
    readonly params?: Readonly<Record<string, string | number>> | undefined;
    readonly text?: string | undefined;
  };
}

interface Timers {
  /** The id of the next countdown; no id is used twice. */
  readonly next: number;
  readonly timers: readonly KeptTimer[];
  /** The newest first. */
  readonly recent: readonly KeptRun[];
}

interface Change<Result> {
  /** Absent where there is nothing to write. */
  readonly to?: Timers;
  readonly result?: Result;
}

export const MOST_TIMERS = 1_000;
/** Of one starter, whichever agents it acts as, so that others can start some, too. */
export const MOST_OF_ONE = 800;
/** How many are remembered that were carried out, and how many that were not: as many as can be lost at once. */
const MOST_DONE = 50;
const MOST_NOT_DONE = MOST_TIMERS;
const COLLECTION = "ability:timers";
const KEY = "timers";

export class TimerBook {
  readonly #documents: DocumentTable;

  constructor(documents: DocumentTable) {
    this.#documents = documents;
  }

  async read(): Promise<Timers> {
    return timersIn(await this.#documents.get(COLLECTION, KEY));
  }

  /** Undefined where there are too many, "share" where too many are its starter's. */
  async add(timer: Omit<KeptTimer, "id">): Promise<KeptTimer | "share" | undefined> {
    return await this.#change<KeptTimer | "share">((kept) => {
      if (kept.timers.length >= MOST_TIMERS) return {};
      if (countOf(timer.starter, kept.timers) >= MOST_OF_ONE) return { result: "share" };
      const added = { id: kept.next, ...timer };
      return { to: { ...kept, next: kept.next + 1, timers: [...kept.timers, added] }, result: added };
    });
  }

  /** The one that is gone now, or, with its mark, the one that cannot go any more. */
  async cancel(id: number, isVisible: (timer: KeptTimer) => boolean): Promise<KeptTimer | undefined> {
    return await this.#change((kept) => {
      const timer = kept.timers.find((each) => each.id === id && isVisible(each));
      if (timer?.runningSince !== undefined) return { result: timer };
      return timer ? { to: without(kept, id), result: timer } : {};
    });
  }

  /** Marks it; undefined where it is gone, or somebody else's already. */
  async claim(id: number, now: number): Promise<KeptTimer | undefined> {
    return await this.#change((kept) => {
      const timer = kept.timers.find((each) => each.id === id && each.runningSince === undefined);
      if (!timer) return {};
      const result = { ...timer, runningSince: now };
      return { to: { ...kept, timers: kept.timers.map((each) => (each === timer ? result : each)) }, result };
    });
  }

  /** Takes the mark back, where it is certain that nothing was called. */
  async release(id: number): Promise<void> {
    await this.#change((kept) => {
      const released = kept.timers.map((each) => (each.id === id ? { ...each, runningSince: undefined } : each));
      return { to: { ...kept, timers: released } };
    });
  }

  /** In the place of what somebody else may have made of it, who took us for dead. */
  async finish(run: KeptRun): Promise<void> {
    await this.#change((kept) => ({ to: ended(kept, [run]) }));
  }

  /**
   * What is left from before: running ones, of which nobody knows the end, and those that were due before `oldest`, are
   * ended; resolves with those that still wait.
   */
  async takeUp(now: number, oldest: number): Promise<readonly KeptTimer[]> {
    const { timers } = await this.read();
    const unknown = timers.filter(({ runningSince }) => runningSince !== undefined);
    const missed = timers.filter(({ dueAt, runningSince }) => runningSince === undefined && dueAt < oldest);
    const runs = [
      ...unknown.map((each) => over(each, "unknown", now)),
      ...missed.map((each) => over(each, "missed", now)),
    ];
    if (runs.length > 0) await this.#change((kept) => ({ to: ended(kept, stillThere(kept, runs)) }));
    return timers.filter(({ id }) => !runs.some((run) => run.id === id));
  }

  async #change<Result>(change: (kept: Timers) => Change<Result>): Promise<Result | undefined> {
    let result: Result | undefined;
    try {
      await this.#documents.update(COLLECTION, KEY, (kept) => {
        const changed = change(timersIn(kept));
        result = changed.result;
        if (!changed.to) throw NOTHING;
        return changed.to;
      });
    } catch (cause) {
      if (cause !== NOTHING) throw cause;
    }
    return result;
  }
}

const NOTHING = new Error("nothing to write");

function timersIn(kept: unknown): Timers {
  const { next, timers, recent } = (kept ?? {}) as Partial<Timers>;
  return { next: next ?? 0, timers: timers ?? [], recent: recent ?? [] };
}

/** How many of these are of the same account, whichever agents it acted as. */
function countOf(starter: Starter | undefined, timers: readonly KeptTimer[]): number {
  const account = accountOf(starter);
  return timers.filter((each) => accountOf(each.starter) === account).length;
}

function accountOf(starter: Starter | undefined): string | undefined {
  return starter?.account ?? starter?.id;
}

function over(timer: KeptTimer, status: "unknown" | "missed", endedAt: number): KeptRun {
  return { ...timer, status, endedAt };
}

function ended(kept: Timers, runs: readonly KeptRun[]): Timers {
  const ids = new Set(runs.map(({ id }) => id));
  const others = kept.recent.filter(({ id }) => !ids.has(id));
  const timers = kept.timers.filter(({ id }) => !ids.has(id));
  return { ...kept, timers, recent: bounded([...runs, ...others]) };
}

/** Successes are bounded apart from failures, so that many of them never remove the only report of a failure. */
function bounded(recent: readonly KeptRun[]): KeptRun[] {
  const left = { done: MOST_DONE, other: MOST_NOT_DONE };
  return recent.filter(({ status }) => left[status === "done" ? "done" : "other"]-- > 0);
}

/** Meanwhile another process may have ended one itself, and knows better, or begun one that was late. */
function stillThere(kept: Timers, runs: readonly KeptRun[]): KeptRun[] {
  const marks = new Map(kept.timers.map(({ id, runningSince }) => [id, { runningSince }]));
  return runs.filter(({ id, runningSince }) => marks.get(id)?.runningSince === runningSince && marks.has(id));
}

function without(kept: Timers, id: number): Timers {
  return { ...kept, timers: kept.timers.filter((each) => each.id !== id) };
}
