/**
 * Asks sources for their tools and whatever else they offer: a few at a time (each may start a process), each source once at a time and not too often,
 * again if it fails, and lets a first list wait a little for those that have never answered.
 */
import { toZaguanError, type ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import type { Source } from "../sources/source.ts";
import type { ToolDefinition } from "./call.ts";
import { listOffers } from "./list-offers.ts";
import type { SourceOffers } from "./offers.ts";
import type { Clock } from "./ports.ts";

const AT_ONCE = 4;
/** How long one of the few keeps its place; after that it goes on beside the next. */
const TURN_MS = 1_000;
/** A source may take its time over restarts; this only bounds one asking. */
const ASK_MS = 120_000;
/** A source that announces one change after the other must not keep us busy: the pauses double up to a second. */
const PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 1_000;
/** Where nothing had changed, up to half a minute: some announce a change whenever they are asked. */
const LONGEST_VAIN_PAUSE_MS = 30_000;
const ATTEMPTS = 3;
const FIRST_DELAY_MS = 500;
/** A source that is up and still does not say what it offers is asked again now and then. */
const LATER_MS = 30_000;

/** Whoever wants to know. */
interface Learner {
  /** Whether they are others than before. */
  onTools(source: Source, tools: readonly ToolDefinition[]): boolean;
  onOffers(source: Source, offers: SourceOffers): void;
  /** It was asked as often as makes sense for now; it will be asked again. */
  onFailed(source: Source, error: ZaguanError): void;
}

export class Discovery {
  readonly #clock: Clock;
  readonly #learner: Learner;
  readonly #running = new Map<string, Asking>();
  readonly #waiting: Asking[] = [];
  #busy = 0;
  /** Sources that have not answered for the first time yet. */
  readonly #fresh = new Map<string, Promise<void>>();
  /** When each source was last asked, and how long it is left alone then. */
  readonly #asked = new Map<string, { readonly at: number; readonly pauseMs: number }>();
  readonly #later = new Map<string, () => void>();

  constructor(clock: Clock, learner: Learner) {
    this.#clock = clock;
    this.#learner = learner;
  }

  /**
   * Resolves when the asking is over, whatever came of it: the supervisor tells of failures. `first` where nothing is
   * known of the source yet, so that lists wait for it.
   */
  discover(source: Source, first = false): Promise<void> {
    const running = this.#running.get(source.name);
    if (running) {
      running.again = true;
      return running.done;
    }
    this.#later.get(source.name)?.();
    const asking = new Asking(source);
    this.#running.set(source.name, asking);
    this.#waiting.push(asking);
    if (first) this.#fresh.set(source.name, asking.heard);
    this.#pump();
    return asking.done;
  }

  isAsking(name: string): boolean {
    return this.#running.has(name);
  }

  forget(name: string): void {
    this.#running.get(name)?.controller.abort(new Error("removed"));
    this.#later.get(name)?.();
    // At once, so that a source which takes the name next is asked itself.
    for (const map of [this.#running, this.#fresh, this.#asked, this.#later]) map.delete(name);
  }

  /** Whether nobody is left for whom a list would wait. */
  get isSettled(): boolean {
    return this.#fresh.size === 0;
  }

  /** Waits for sources that are being asked for the first time, at most so long. */
  async settled(ms: number): Promise<void> {
    if (this.#fresh.size === 0) return;
    await this.#atMost(ms, this.#noneFresh());
    this.#fresh.clear();
  }

  /** Loops because a source that moves to another node while it is asked is asked anew there. */
  async #noneFresh(): Promise<void> {
    while (this.#fresh.size > 0) {
      const waited = [...this.#fresh];
      await Promise.all(waited.map(([, heard]) => heard));
      for (const [name, heard] of waited) if (this.#fresh.get(name) === heard) this.#fresh.delete(name);
    }
  }

  #pump(): void {
    while (this.#busy < AT_ONCE) {
      const asking = this.#waiting.shift();
      if (!asking) return;
      this.#busy++;
      // Sources that never become ready must not keep those behind them from being asked.
      void this.#atMost(TURN_MS, this.#run(asking)).finally(() => {
        this.#busy--;
        this.#pump();
      });
    }
  }

  async #run(asking: Asking): Promise<void> {
    const { source, controller } = asking;
    try {
      do {
        asking.again = false;
        await this.#sleep(this.#pauseBefore(source.name), controller.signal);
        await this.#askWithPatience(asking);
        this.#heard(asking);
      } while (asking.again && !controller.signal.aborted);
    } catch (cause) {
      this.#learner.onFailed(source, toZaguanError(cause));
      this.#askLater(asking);
    } finally {
      if (this.#running.get(source.name) === asking) this.#running.delete(source.name);
      this.#heard(asking);
      asking.finish();
    }
  }

  /** Whatever it may say next, lists wait for it no longer. */
  #heard(asking: Asking): void {
    const { name } = asking.source;
    if (this.#fresh.get(name) === asking.heard) this.#fresh.delete(name);
    asking.tell();
  }

  async #askWithPatience(asking: Asking): Promise<void> {
    const { controller } = asking;
    const stop = this.#clock.after(ASK_MS, () => controller.abort(new Error("asked for too long")));
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#ask(asking);
        } catch (error) {
          if (attempt === ATTEMPTS || !isWorthAnother(asking)) throw error;
        }
        await this.#sleep(FIRST_DELAY_MS * 2 ** (attempt - 1), controller.signal);
      }
    } finally {
      stop();
    }
  }

  async #ask({ source, controller }: Asking): Promise<void> {
    this.#remember(source.name);
    const hasChanged = this.#learner.onTools(source, await source.listTools(controller.signal));
    if (hasChanged) this.#pauseAtMost(source.name, LONGEST_PAUSE_MS);
    this.#learner.onOffers(source, await listOffers(source, controller.signal));
  }

  #pauseBefore(name: string): number {
    const last = this.#asked.get(name);
    return last ? Math.max(0, last.at + last.pauseMs - this.#clock.now()) : 0;
  }

  #remember(name: string): void {
    const [at, last] = [this.#clock.now(), this.#asked.get(name)];
    const isOften = last !== undefined && at - last.at < 2 * last.pauseMs;
    this.#asked.set(name, { at, pauseMs: isOften ? Math.min(2 * last.pauseMs, LONGEST_VAIN_PAUSE_MS) : PAUSE_MS });
  }

  #pauseAtMost(name: string, ms: number): void {
    const last = this.#asked.get(name);
    if (last) this.#asked.set(name, { ...last, pauseMs: Math.min(last.pauseMs, ms) });
  }

  #askLater(asking: Asking): void {
    const { source } = asking;
    if (!isWorthAnother(asking)) return;
    this.#later.set(
      source.name,
      this.#clock.after(LATER_MS, () => {
        this.#later.delete(source.name);
        void this.discover(source);
      }),
    );
  }

  async #atMost(ms: number, work: Promise<unknown>): Promise<void> {
    const enough = Promise.withResolvers<void>();
    const stop = this.#clock.after(ms, enough.resolve);
    await Promise.race([work, enough.promise]);
    stop();
  }

  #sleep(ms: number, signal: CancelSignal): Promise<void> {
    if (ms === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const leave = () => {
        stop();
        reject(signal.reason);
      };
      const stop = this.#clock.after(ms, () => {
        signal.removeEventListener("abort", leave);
        resolve();
      });
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}

/** One that is down tells us when it comes up; only one that is up would never be asked again. */
function isWorthAnother({ source, controller }: Asking): boolean {
  return !controller.signal.aborted && source.status().state === "ready";
}

class Asking {
  readonly source: Source;
  readonly controller = new AbortController();
  readonly done: Promise<void>;
  /** It has answered once, or will not. */
  readonly heard: Promise<void>;
  finish: () => void = () => {};
  tell: () => void = () => {};
  /** Something changed while we were asking. */
  again = false;

  constructor(source: Source) {
    this.source = source;
    this.done = new Promise((resolve) => {
      this.finish = resolve;
    });
    this.heard = new Promise((resolve) => {
      this.tell = resolve;
    });
  }
}
