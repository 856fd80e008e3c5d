/**
 * The exchanges under way with one server, each of which can be cut by whoever began it, by silence, and all by the end; and
 * whether the server can still be reached.
 */

import { IndexedSet } from "../indexed-set.ts";
import type { CancelSignal } from "../light-abort.ts";
import type { Outgoing } from "../security/outbound.ts";
import {
  type AnswerReader,
  type Cuttable,
  Exchange,
  type ExchangeKeeper,
  type ExchangeRequest,
} from "./http-exchange.ts";
import { Silent } from "./http-failures.ts";

/** Into so many parts the allowed silence is cut: it may last longer by one of them. */
const LOOKS = 4;

export class HttpExchanges implements ExchangeKeeper {
  readonly reachability: Reachability;
  readonly #dispatcher: Outgoing;
  readonly #idleMs: number;
  readonly #running = new IndexedSet<Exchange>();
  #isPaused = false;
  /** One for all of them, where undici would start and stop one for every answer. */
  #watch: NodeJS.Timeout | undefined;

  /** `idleMs` is the silence allowed once an answer has begun, unless that is endless. */
  constructor(dispatcher: Outgoing, reachability: Reachability, idleMs: number) {
    this.#dispatcher = dispatcher;
    this.reachability = reachability;
    this.#idleMs = idleMs;
  }

  /** Starts one that `signal`, the returned handle and `cutAll` can cut. */
  run(request: ExchangeRequest, reader: AnswerReader, signal?: CancelSignal): Cuttable {
    const exchange = new Exchange(request, reader, this, signal);
    this.#running.add(exchange);
    this.#watch ??= setInterval(() => this.#look(), this.#idleMs / LOOKS).unref();
    exchange.start(this.#dispatcher);
    return exchange;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Stops reading answers: of exchanges under way, and of those that begin before `resume`. */
  pause(): void {
    this.#isPaused = true;
    for (const exchange of this.#running.all()) exchange.pause();
  }

  resume(): void {
    this.#isPaused = false;
    for (const exchange of this.#running.all()) exchange.resume();
  }

  cutAll(why: Error): void {
    for (const exchange of this.#running.all()) exchange.cut(why);
    this.#stopWatch();
  }

  forget(exchange: Exchange): void {
    this.#running.delete(exchange);
  }

  #look(): void {
    for (const exchange of this.#running.all()) {
      if (exchange.countSilence() >= LOOKS) exchange.cut(new Silent("silence in the middle of the answer"));
    }
    if (this.#running.size === 0) this.#stopWatch();
  }

  #stopWatch(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }
}

const FAILURES_TO_GIVE_UP = 3;

/**
 * Some connects in a row that fail say that a server cannot be reached. It is not said as long as somebody waits for an answer
 * that may yet come over a connection that stands (a server on its way out takes no new ones), because giving up would cut it.
 */
export class Reachability {
  readonly #onLost: (reason: string) => void;
  #failures = 0;
  #awaited = 0;
  #reason = "";

  constructor(onLost: (reason: string) => void) {
    this.#onLost = onLost;
  }

  /** The server answered, be it with a refusal. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** Nothing could be sent. */
  failed(reason: string): void {
    this.#failures++;
    this.#reason = reason;
    this.#judge();
  }

  /** An answer is on its way; `arrived` must tell, once, when it has come or been lost. */
  expect(): void {
    this.#awaited++;
  }

  arrived(): void {
    this.#awaited--;
    this.#judge();
  }

  #judge(): void {
    if (this.#failures >= FAILURES_TO_GIVE_UP && this.#awaited === 0) this.#onLost(this.#reason);
  }
}
