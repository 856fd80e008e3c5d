/**
 * A session that a server has forgotten is opened anew without the caller noticing: such a refusal proves that the call
 * did not run.
 */
import { ZaguanError } from "../../errors.ts";
import { until } from "../mcp-client/until.ts";
import type { ConnectContext } from "../source.ts";

const RENEWAL_MS = 10_000;

/** Runs work; if the session turns out dead, opens one new session for all who noticed, and runs it once more. */
export class Renewal {
  readonly #greet: (signal: AbortSignal) => Promise<void>;
  readonly #context: ConnectContext;
  readonly #end = new AbortController();
  #renewed: Promise<void> | undefined;
  /** How many renewals succeeded. */
  #count = 0;

  constructor(greet: (signal: AbortSignal) => Promise<void>, context: ConnectContext) {
    this.#greet = greet;
    this.#context = context;
  }

  /** The connection is over, and what is being renewed with it. */
  end(reason: string): void {
    this.#end.abort(this.#unavailable(reason));
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const countBefore = this.#count;
    try {
      return await work();
    } catch (error) {
      if (!isUnknownSession(error)) throw error;
    }
    // A refusal that comes late may be of a session that others have renewed already.
    if (this.#count === countBefore) await until(this.#renew(), signal);
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
    this.#context.onLog("the server forgot our session: opening another");
    const late = new AbortController();
    const stop = this.#context.clock.after(RENEWAL_MS, () =>
      late.abort(this.#unavailable(`it opened no new session within ${RENEWAL_MS / 1000} s`)),
    );
    try {
      await this.#greet(AbortSignal.any([this.#end.signal, late.signal]));
      this.#count++;
    } catch (error) {
      throw this.#unrenewed(error);
    } finally {
      stop();
    }
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
