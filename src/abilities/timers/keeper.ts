/**
 * Waits for countdowns and carries them out, each as its starter and with the rights that its starter has then. While
 * it lives it counts by the monotonic clock; after a restart, by the time of day. Late ones are made up for, unless
 * they are older than a day.
 */
import { toZaguanError, type ZaguanError } from "../../errors.ts";
import type { AbilityContext, Order } from "../ability.ts";
import type { KeptRun, KeptTimer, TimerBook } from "./book.ts";
import { type Command, isWrong, parseCommand } from "./command.ts";

interface KeeperParts extends Pick<AbilityContext, "clock" | "attached" | "principalOf" | "check" | "call" | "log"> {
  readonly book: TimerBook;
  /** The time of day, in milliseconds since 1970. */
  now(): number;
}

/** A countdown that is later than this is not carried out any more. */
const LATEST_MS = 24 * 3_600_000;
/** After a restart, all that are late are due at once. */
const MOST_AT_ONCE = 8;
/** How long to wait before a store that failed is asked again. */
const AGAIN_MS = 30_000;
/** How long closing waits for what is being carried out. */
const CLOSING_MS = 2_000;
const MOST_RESULT_CHARACTERS = 2_000;

/** The key is revoked, or the agent or the endpoint is gone. */
export const STARTER_GONE = "STARTER_GONE";

type Ending = Pick<KeptRun, "status" | "result" | "error">;

export class TimerKeeper {
  readonly #parts: KeeperParts;
  /** How to stop waiting for each. */
  readonly #waiting = new Map<number, () => void>();
  readonly #queue: number[] = [];
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** Takes up what is kept from before. */
  async open(): Promise<void> {
    const now = this.#parts.now();
    for (const timer of await this.#parts.book.takeUp(now, now - LATEST_MS)) this.wait(timer);
  }

  wait({ id, dueAt, delay }: KeptTimer): void {
    // A time of day that was set back makes nothing wait longer than it was to wait at all.
    const left = Math.max(0, Math.min(dueAt - this.#parts.now(), delay * 1_000));
    this.#waitFor(id, left);
  }

  forget(id: number): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const id of [...this.#waiting.keys()]) this.forget(id);
    this.#queue.length = 0;
    if (this.#running.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.#parts.clock.after(CLOSING_MS, resolve);
    await Promise.race([promise, Promise.allSettled(this.#running)]);
    stop();
  }

  #waitFor(id: number, ms: number): void {
    if (this.#isClosed) return;
    const stop = this.#parts.clock.after(ms, () => {
      this.#waiting.delete(id);
      this.#queue.push(id);
      this.#runNext();
    });
    this.#waiting.set(id, stop);
  }

  #runNext(): void {
    if (this.#isClosed || this.#running.size >= MOST_AT_ONCE) return;
    const id = this.#queue.shift();
    if (id === undefined) return;
    const run = this.#run(id).finally(() => {
      this.#running.delete(run);
      this.#runNext();
    });
    this.#running.add(run);
  }

  async #run(id: number): Promise<void> {
    await this.#parts.attached;
    const timer = await this.#claim(id);
    if (!timer) return;
    try {
      if (this.#isClosed) await this.#parts.book.release(id);
      else await this.#parts.book.finish(await this.#carryOut(timer));
    } catch (cause) {
      this.#parts.log(`Countdown ${id}: what became of it could not be kept: ${messageOf(cause)}`);
    }
  }

  /** Nothing has been called yet, so that a store which fails here may be asked again. */
  async #claim(id: number): Promise<KeptTimer | undefined> {
    try {
      return await this.#parts.book.claim(id, this.#parts.now());
    } catch (cause) {
      this.#parts.log(`Countdown ${id} is due and cannot be marked as such: ${messageOf(cause)}`);
      this.#waitFor(id, AGAIN_MS);
      return undefined;
    }
  }

  async #carryOut(timer: KeptTimer): Promise<KeptRun> {
    const command = parseCommand(timer.command);
    const ending = isWrong(command) ? ({ status: "failed" } as const) : await this.#judge(timer, command);
    return { ...timer, ...ending, endedAt: this.#parts.now() };
  }

  /** By the rights of this moment: since it was started, they may have been taken away. */
  async #judge({ id, starter }: KeptTimer, command: Command): Promise<Ending> {
    try {
      const principal = starter && (await this.#parts.principalOf(starter));
      if (!principal) return this.#notCalled(id, { code: STARTER_GONE });
      const order = { ...command, principal };
      await this.#parts.check(order);
      return await this.#call(id, order);
    } catch (cause) {
      return this.#notCalled(id, keptError(toZaguanError(cause)));
    }
  }

  async #call(id: number, order: Order): Promise<Ending> {
    try {
      const result = await this.#parts.call(order);
      return { status: "done", result: result.slice(0, MOST_RESULT_CHARACTERS) };
    } catch (cause) {
      const error = toZaguanError(cause);
      this.#parts.log(`Countdown ${id} has called ${order.tool} and failed: ${error.message}`);
      return { status: error.delivery === "unknown" ? "unknown" : "failed", error: keptError(error) };
    }
  }

  #notCalled(id: number, error: NonNullable<KeptRun["error"]>): Ending {
    this.#parts.log(
      `Countdown ${id} was refused and has called nothing: ${error.code} ${JSON.stringify(error.params)}`,
    );
    return { status: error.code === "INTERNAL" ? "failed" : "refused", error };
  }
}

function keptError({ code, details }: ZaguanError): NonNullable<KeptRun["error"]> {
  const { params, relayed } = details;
  return { code, params, text: relayed?.message.slice(0, MOST_RESULT_CHARACTERS) };
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
