/** One hop of a call: one request of any method and its whole answer, up to a limit. The end is told exactly once. */
import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { HttpRequest } from "./http-call.ts";
import { type Failure, targetOf } from "./http-exchange.ts";
import { Cancelled, Enough, TooSlow } from "./http-failures.ts";
import { flat } from "./http-headers.ts";

export interface BareReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
}

/** One of the two is there. */
type OnEnd = (reply: BareReply | undefined, failure: Failure | undefined) => void;

/** In the middle of an answer. */
const SILENCE_MS = 30_000;

export class HttpCallExchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #onEnd: OnEnd;
  readonly #onAbort = (): void => this.cut(new Cancelled("cancelled"));
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;

  constructor(request: HttpRequest, onEnd: OnEnd) {
    this.#request = request;
    this.#onEnd = onEnd;
    this.#timer = setTimeout(() => this.cut(new TooSlow("no time left")), request.limitMs);
    request.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  start(dispatcher: Dispatcher): void {
    if (this.#request.signal?.aborted) this.#onAbort();
    if (this.#isOver) return;
    const { url, method, headers, body = null } = this.#request;
    const times = { headersTimeout: 0, bodyTimeout: SILENCE_MS };
    dispatcher.dispatch({ ...targetOf(new URL(url)), method, headers: flat(headers), body, ...times }, this);
  }

  cut(why: Error): void {
    this.#controller?.abort(why);
    this.#finish(why);
  }

  /** undici calls this right before the first byte is written, and writes nothing if we abort here. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) controller.abort(new Error("given up before it was sent"));
    else if (this.#controller) controller.abort(new Error("a request is never written twice"));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#isOver) return;
    const room = this.#request.maxBytes - this.#length;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#length += Math.min(chunk.length, room);
    if (chunk.length <= room) return;
    this.#finish(undefined, true);
    controller.abort(new Enough("more than is read"));
  }

  onResponseEnd(): void {
    this.#finish(undefined, false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#finish(cause);
  }

  #finish(cause: Error | undefined, isCut = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    if (cause) this.#onEnd(undefined, { cause, written: this.#controller !== undefined });
    else this.#onEnd({ status: this.#status, headers: this.#headers, bytes: this.#whole(), isCut }, undefined);
  }

  #whole(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }
}
