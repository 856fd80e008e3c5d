/**
 * A session that a server has forgotten is opened anew without the caller noticing: such a refusal proves that the call
 * did not run. Where nobody calls it is opened all the same, since somebody may be listening.
 */
import { ZaguanError } from "../../errors.ts";
import { anyOf, type CancelSignal } from "../../light-abort.ts";
import { until } from "../mcp-client/until.ts";
import type { ConnectContext } from "../source.ts";

interface RenewalOptions {
  readonly context: ConnectContext;
  /** Opens a session. */
  greet(signal: CancelSignal): Promise<void>;
  /** There was no session to be had for so long that another life of the source may do better. */
  onHopeless(reason: string): void;
}

const RENEWAL_MS = 10_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** A session of this length was worth opening. */
const STEADY_MS = 10_000;
const PATIENCE_MS = 30_000;

/** One new session for all who notice that the last is dead. */
export class Renewal {
  readonly #options: RenewalOptions;
  readonly #context: ConnectContext;
  readonly #end = new AbortController();
  #renewed: Promise<void> | undefined;
  /** How many renewals succeeded. */
  #count = 0;
  /** How often it was tried since a session last was worth it. */
  #tries = 0;
  #openedAt: number;
  /** Since when it is known that there is no session. */
  #missedAt: number | undefined;
  /** Takes the next attempt back, if there is to be one. */
  #stopTimer: (() => void) | undefined;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#context = options.context;
    this.#openedAt = this.#context.clock.now();
  }

  /** The connection is over, and what is being renewed with it. */
  end(reason: string): void {
    this.#end.abort(this.#unavailable(reason));
    this.#cancelTimer();
  }

  /** Somebody noticed who does not wait. */
  lost(): void {
    this.#miss();
    this.#later();
  }

  /** Runs work; if the session turns out dead, runs it once more in the next. */
  run<T>(work: () => Promise<T>, signal: CancelSignal): Promise<T> {
    const countBefore = this.#count;
    try {
      return work().catch((error) => this.#runAgain(error, countBefore, work, signal));
    } catch (error) {
      // Refused before it came to sending anything.
      return Promise.reject(error);
    }
  }

  async #runAgain<T>(error: unknown, count: number, work: () => Promise<T>, signal: CancelSignal): Promise<T> {
    if (!isUnknownSession(error)) throw error;
    // A refusal that comes late may be of a session that others have renewed already.
    if (this.#count === count) await until(this.#renew(), signal);
    try {
      return await work();
    } catch (error) {
      throw isUnknownSession(error) ? this.#forgetful(error) : error;
    }
  }

  #renew(): Promise<void> {
    this.#renewed ??= this.#open().finally(() => {
      this.#renewed = undefined;
    });
    return this.#renewed;
  }

  /** Belongs to no caller: whoever asked first may leave, and the others still want it. */
  async #open(): Promise<void> {
    this.#miss();
    this.#tries++;
    const late = new AbortController();
    const stop = this.#context.clock.after(RENEWAL_MS, () =>
      late.abort(this.#unavailable(`it opened no new session within ${RENEWAL_MS / 1000} s`)),
    );
    try {
      await this.#options.greet(anyOf(this.#end.signal, late.signal));
    } catch (error) {
      throw this.#failed(this.#unrenewed(error));
    } finally {
      stop();
    }
    this.#succeeded();
  }

  #miss(): void {
    if (this.#missedAt !== undefined) return;
    this.#context.onLog("the server forgot our session: opening another");
    this.#missedAt = this.#context.clock.now();
    if (this.#missedAt - this.#openedAt >= STEADY_MS) this.#tries = 0;
  }

  /** A server that has forgotten us was started anew, and may offer something else now. */
  #succeeded(): void {
    this.#count++;
    this.#missedAt = undefined;
    this.#openedAt = this.#context.clock.now();
    this.#cancelTimer();
    this.#context.onToolsChanged();
  }

  #failed(error: ZaguanError): ZaguanError {
    const now = this.#context.clock.now();
    if (now - (this.#missedAt ?? now) < PATIENCE_MS) this.#later();
    else this.#options.onHopeless(String(error.details.params?.["reason"]));
    return error;
  }

  /** At once, unless the last attempts were of no use. */
  #later(): void {
    if (this.#stopTimer || this.#end.signal.aborted) return;
    const ms = this.#tries === 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** Math.min(this.#tries - 1, 10), LONGEST_WAIT_MS);
    this.#stopTimer = this.#context.clock.after(ms, () => {
      this.#stopTimer = undefined;
      // Its failure is its own to deal with.
      this.#renew().catch(() => {});
    });
  }

  #cancelTimer(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  /** Whatever became of the handshake: the calls that wait for it have not run. */
  #unrenewed(error: unknown): ZaguanError {
    const isFit = error instanceof ZaguanError && error.code === "SOURCE_UNAVAILABLE" && error.delivery === "not_sent";
    return isFit ? error : this.#unavailable("it forgot our session and opened no other", error);
  }

  /** A session of ours is no business of our callers, who have sessions of their own with us. */
  #forgetful(cause: unknown): ZaguanError {
    const params = { source: this.#context.name, reason: "it keeps forgetting our session" };
    return new ZaguanError("SOURCE_ERROR", { params, delivery: "not_sent", cause });
  }

  #unavailable(reason: string, cause?: unknown): ZaguanError {
    const params = { source: this.#context.name, reason };
    return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent", cause });
  }
}

function isUnknownSession(error: unknown): boolean {
  return error instanceof ZaguanError && error.code === "UNKNOWN_SESSION";
}
