/**
 * One HTTP request and its answer, told to a reader step by step. What it adds to undici is certainty: whether any byte
 * of the request can have left, that it is never written twice, and that the end is told exactly once.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { TooSlow } from "./http-failures.ts";

export interface ExchangeRequest {
  readonly method: "POST" | "GET" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Nobody waits for the end of the answer, so that a server may be given up before it came. @default false */
  readonly isEndless?: boolean | undefined;
  /** Silence allowed once the answer has begun; 0 for any. */
  readonly idleMs: number;
  /** For all of it, from now to the answer's end; without it, an end is the caller's to see to. */
  readonly limitMs?: number | undefined;
}

/** Throwing from `onHead` or `onData` cuts the exchange; what was thrown comes back as the failure's cause. */
export interface AnswerReader {
  /** There is a connection, and the request is about to be written. */
  onSent?(): void;
  onHead(status: number, headers: IncomingHttpHeaders): void;
  onData(chunk: Uint8Array): void;
  /** Exactly once, and last. */
  onEnd(failure: Failure | undefined): void;
}

export interface Failure {
  readonly cause: unknown;
  /** False only if provably nothing of the request was sent. */
  readonly written: boolean;
}

/** Starts the exchange and returns what cuts it; cutting tells the reader at once. */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest, reader: AnswerReader): (why: Error) => void {
  const { url, method, headers, body, idleMs, limitMs } = request;
  const running = new Exchange(reader, limitMs);
  const target = { origin: url.origin, path: url.pathname + url.search, method, headers, body: body ?? null };
  dispatcher.dispatch({ ...target, headersTimeout: 0, bodyTimeout: idleMs }, running);
  return (why) => running.cut(why);
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #reader: AnswerReader;
  readonly #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;

  constructor(reader: AnswerReader, limitMs: number | undefined) {
    this.#reader = reader;
    if (limitMs !== undefined) this.#timer = setTimeout(() => this.cut(new TooSlow("no time left")), limitMs);
  }

  cut(why: Error): void {
    this.#controller?.abort(why);
    this.#finish(why);
  }

  /** undici calls this right before the first byte is written, and writes nothing if we abort here. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) controller.abort(new Error("given up before it was sent"));
    else if (this.#controller) controller.abort(new Error("a request is never written twice"));
    else {
      this.#controller = controller;
      this.#reader.onSent?.();
    }
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.#reader.onHead(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#reader.onData(chunk);
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#finish(cause);
  }

  #finish(cause?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#reader.onEnd(cause && { cause, written: this.#controller !== undefined });
  }
}
