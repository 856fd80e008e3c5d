/**
 * Asks sources for their tools: a few at a time (each may start a process), each source once at a time, and lets a first
 * list wait a little for those that have never answered.
 */
import type { Source } from "../sources/source.ts";
import type { ToolDefinition } from "./call.ts";
import type { Clock } from "./ports.ts";

const AT_ONCE = 4;
/** How long one of the few keeps its place; after that it goes on beside the next. */
const TURN_MS = 1_000;
/** A source may take its time over restarts; this only bounds one asking. */
const ASK_MS = 120_000;

export class Discovery {
  readonly #clock: Clock;
  readonly #onTools: (source: Source, tools: readonly ToolDefinition[]) => void;
  readonly #running = new Map<string, Asking>();
  readonly #waiting: Asking[] = [];
  #busy = 0;
  /** Sources that have not answered for the first time yet. */
  readonly #fresh = new Map<string, Promise<void>>();

  constructor(clock: Clock, onTools: (source: Source, tools: readonly ToolDefinition[]) => void) {
    this.#clock = clock;
    this.#onTools = onTools;
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
    const asking = new Asking(source);
    this.#running.set(source.name, asking);
    this.#waiting.push(asking);
    if (first) this.#fresh.set(source.name, asking.done);
    this.#pump();
    return asking.done;
  }

  isAsking(name: string): boolean {
    return this.#running.has(name);
  }

  forget(name: string): void {
    this.#running.get(name)?.controller.abort(new Error("removed"));
    // At once, so that a source which takes the name next is asked itself.
    this.#running.delete(name);
    this.#fresh.delete(name);
  }

  /** Waits for sources that are being asked for the first time, at most so long. */
  async settled(ms: number): Promise<void> {
    if (this.#fresh.size === 0) return;
    let stop = () => {};
    const enough = new Promise<void>((resolve) => {
      stop = this.#clock.after(ms, resolve);
    });
    await Promise.race([Promise.all(this.#fresh.values()), enough]);
    stop();
    this.#fresh.clear();
  }

  #pump(): void {
    while (this.#busy < AT_ONCE) {
      const asking = this.#waiting.shift();
      if (!asking) return;
      this.#busy++;
      void this.#fewSeconds(this.#ask(asking)).finally(() => {
        this.#busy--;
        this.#pump();
      });
    }
  }
  /** Sources that never become ready must not keep those behind them from being asked. */
  async #fewSeconds(asking: Promise<void>): Promise<void> {
    let stop = () => {};
    const enough = new Promise<void>((resolve) => {
      stop = this.#clock.after(TURN_MS, resolve);
    });
    await Promise.race([asking, enough]);
    stop();
  }

  async #ask(asking: Asking): Promise<void> {
    const { source, controller } = asking;
    const stop = this.#clock.after(ASK_MS, () => controller.abort(new Error("asked for too long")));
    try {
      do {
        asking.again = false;
        this.#onTools(source, await source.listTools(controller.signal));
      } while (asking.again);
    } catch {
      // The supervisor has told why; when the source comes up, it is asked again.
    } finally {
      stop();
      if (this.#running.get(source.name) === asking) this.#running.delete(source.name);
      if (this.#fresh.get(source.name) === asking.done) this.#fresh.delete(source.name);
      asking.finish();
    }
  }
}

class Asking {
  readonly source: Source;
  readonly controller = new AbortController();
  readonly done: Promise<void>;
  finish: () => void = () => {};
  /** Something changed while we were asking. */
  again = false;

  constructor(source: Source) {
    this.source = source;
    this.done = new Promise((resolve) => {
      this.finish = resolve;
    });
  }
}
