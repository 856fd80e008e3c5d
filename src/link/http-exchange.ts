/**
 * One HTTP request and its answer, told to a reader step by step. What it adds to undici is certainty: whether any byte
 * of the request can have left, that it is never written twice unless a redirect asks for it, and that the end is told
 * exactly once.
 */

import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { IndexedMember } from "../indexed-set.ts";
import type { CancelSignal } from "../light-abort.ts";
import type { Outgoing } from "../security/outbound.ts";
import type { Reachability } from "./http-exchanges.ts";
import { Cancelled, connectReason, TooSlow } from "./http-failures.ts";
import { MAX_HOPS, redirectTarget } from "./http-redirect.ts";

/** A URL, taken apart once for all requests that go there. */
export interface Target {
  readonly origin: string;
  readonly path: string;
}

export interface ExchangeRequest {
  readonly method: "POST" | "GET" | "DELETE";
  readonly target: Target;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body?: string | undefined;
  /** Nobody waits for the end of the answer: it may be silent for hours, and a server be given up before it came. */
  readonly isEndless: boolean;
  /** For all of it, from now to the answer's end; without it, an end is the caller's to see to. */
  readonly limitMs?: number | undefined;
  /** The server sent the request on to another path, for good as far as this connection goes. */
  onMoved?(target: Target): void;
}

/** Throwing from `onHead` or `onData` cuts the exchange; what was thrown comes back as the failure's cause. */
export interface AnswerReader {
  onHead(status: number, headers: IncomingHttpHeaders, exchange: Cuttable): void;
  onData(chunk: Uint8Array, exchange: Cuttable): void;
  /** Called exactly once, after everything else. */
  onEnd(failure: Failure | undefined): void;
}

export interface Cuttable {
  /** Ends the exchange; its reader is told at once. */
  cut(why: Error): void;
}

export interface Failure {
  readonly cause: unknown;
  /** False only if provably nothing of the request was sent. */
  readonly written: boolean;
}

/** Who keeps the exchanges that are under way. */
export interface ExchangeKeeper {
  readonly reachability: Reachability;
  /** While true, no answer is read. */
  readonly isPaused: boolean;
  forget(exchange: Exchange): void;
}

export function targetOf(url: URL): Target {
  return { origin: url.origin, path: url.pathname + url.search };
}

/** One object per call on the busiest way of all, and its own handler for undici. */
export class Exchange implements Dispatcher.DispatchHandler, Cuttable, IndexedMember {
  place = -1;
  readonly #request: ExchangeRequest;
  readonly #reader: AnswerReader;
  readonly #keeper: ExchangeKeeper;
  readonly #signal: CancelSignal | undefined;
  readonly #onAbort: (() => void) | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #dispatcher: Outgoing | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #target: Target;
  /** Where the answer at hand sends us, and how often that happened. */
  #next: Target | undefined;
  #hops = 0;
  /** How often it was found silent since it last brought something; counted once the answer has begun. */
  #silences: number | undefined;
  #isCut = false;
  #isOver = false;

  constructor(
    request: ExchangeRequest,
    reader: AnswerReader,
    keeper: ExchangeKeeper,
    signal: CancelSignal | undefined,
  ) {
    this.#request = request;
    this.#target = request.target;
    this.#reader = reader;
    this.#keeper = keeper;
    this.#signal = signal;
    this.#onAbort = signal && (() => this.cut(new Cancelled("cancelled")));
    if (this.#onAbort) signal?.addEventListener("abort", this.#onAbort);
    const { limitMs } = request;
    if (limitMs !== undefined) this.#timer = setTimeout(() => this.cut(new TooSlow()), limitMs);
  }

  start(dispatcher: Outgoing): void {
    const { method, headers, body = null } = this.#request;
    const { origin, path } = this.#target;
    this.#dispatcher = dispatcher;
    dispatcher.dispatch({ origin, path, method, headers, body, headersTimeout: 0, bodyTimeout: 0 }, this);
  }

  cut(why: Error): void {
    this.#isCut = true;
    this.#controller?.abort(why);
    this.#finish(why);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  /** Asked in regular intervals: how many of them in a row have passed in the middle of the answer without a byte of it. */
  countSilence(): number {
    if (this.#silences === undefined || this.#request.isEndless) return 0;
    return this.#silences++;
  }

  /** undici calls this right before the first byte is written, and writes nothing if we abort here. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) controller.abort(new Error("given up before it was sent"));
    else if (this.#controller) controller.abort(new Error("a request is never written twice"));
    else {
      this.#controller = controller;
      if (this.#isAwaited) this.#keeper.reachability.expect();
    }
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#silences = 0;
    this.#keeper.reachability.succeeded();
    const { method } = this.#request;
    if (this.#hops < MAX_HOPS) this.#next = redirectTarget({ method, target: this.#target }, status, headers);
    if (!this.#next) this.#reader.onHead(status, headers, this);
    if (this.#keeper.isPaused) this.pause();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#silences = 0;
    if (!this.#next) this.#reader.onData(chunk, this);
  }

  onResponseEnd(): void {
    if (this.#next && this.#dispatcher && !this.#isOver) this.#hop(this.#next, this.#dispatcher);
    else this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#finish(cause);
  }

  #hop(next: Target, dispatcher: Outgoing): void {
    this.#hops++;
    this.#next = undefined;
    this.#silences = undefined;
    this.#controller = undefined;
    this.#target = next;
    this.#request.onMoved?.(next);
    this.start(dispatcher);
    if (this.#isAwaited) this.#keeper.reachability.arrived();
  }

  get #isAwaited(): boolean {
    return this.#request.method === "POST" && !this.#request.isEndless;
  }

  /** The reader comes before all else: what it makes of this end must not be overtaken by the end of the link. */
  #finish(cause?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const written = this.#controller !== undefined;
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#onAbort) this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#keeper.forget(this);
    this.#reader.onEnd(cause && { cause, written });
    if (written && this.#isAwaited) this.#keeper.reachability.arrived();
    if (cause && !written && !this.#isCut) this.#keeper.reachability.failed(connectReason(cause));
  }
}
