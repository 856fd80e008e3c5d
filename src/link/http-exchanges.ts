/** The exchanges under way with one server: each can be cut by whoever began it, all by the end. */
import type { Dispatcher } from "undici";
import { type AnswerReader, type ExchangeRequest, exchange } from "./http-exchange.ts";
import { Cancelled, connectReason } from "./http-failures.ts";
import type { Reachability } from "./http-reachability.ts";

export type Cut = (why: Error) => void;

export class HttpExchanges {
  readonly #dispatcher: Dispatcher;
  readonly #reachability: Reachability;
  readonly #cuts = new Set<Cut>();

  constructor(dispatcher: Dispatcher, reachability: Reachability) {
    this.#dispatcher = dispatcher;
    this.#reachability = reachability;
  }

  /** Starts one that `signal`, the returned function and `cutAll` can cut. */
  run(request: ExchangeRequest, reader: AnswerReader, signal?: AbortSignal): Cut {
    const running = new Running(request, reader, this.#reachability, () => {
      this.#cuts.delete(cut);
      signal?.removeEventListener("abort", onAbort);
    });
    const cut: Cut = (why) => running.cut(why);
    const onAbort = () => cut(new Cancelled("cancelled"));
    this.#cuts.add(cut);
    signal?.addEventListener("abort", onAbort, { once: true });
    running.start(this.#dispatcher);
    return cut;
  }

  cutAll(why: Error): void {
    for (const cut of [...this.#cuts]) cut(why);
  }
}

/** Passes an answer on, and tells what it says of the server's reachability. */
class Running implements AnswerReader {
  readonly #request: ExchangeRequest;
  readonly #reader: AnswerReader;
  readonly #reachability: Reachability;
  readonly #onOver: () => void;
  #cut: Cut = () => {};
  #arrived: () => void = () => {};
  #isCut = false;

  constructor(request: ExchangeRequest, reader: AnswerReader, reachability: Reachability, onOver: () => void) {
    this.#request = request;
    this.#reader = reader;
    this.#reachability = reachability;
    this.#onOver = onOver;
  }

  start(dispatcher: Dispatcher): void {
    this.#cut = exchange(dispatcher, this.#request, this);
  }

  cut(why: Error): void {
    this.#isCut = true;
    this.#cut(why);
  }

  onSent(): void {
    const { method, isEndless } = this.#request;
    if (method === "POST" && !isEndless) this.#arrived = this.#reachability.expect();
    this.#reader.onSent?.();
  }

  onHead(...head: Parameters<AnswerReader["onHead"]>): void {
    this.#reachability.succeeded();
    this.#reader.onHead(...head);
  }

  onData(chunk: Uint8Array): void {
    this.#reader.onData(chunk);
  }

  /** The reader comes first: what it makes of this end must not be overtaken by the end of all. */
  onEnd(...[failure]: Parameters<AnswerReader["onEnd"]>): void {
    this.#onOver();
    this.#reader.onEnd(failure);
    this.#arrived();
    if (failure && !failure.written && !this.#isCut) this.#reachability.failed(connectReason(failure.cause));
  }
}
