/**
 * One hop of a call: one request of any method and its whole answer, up to a limit, decompressed where that is needed. The
 * end is told exactly once.
 */

import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import type { Dispatcher } from "undici";
import { ZaguanError } from "../errors.ts";
import type { Outgoing } from "../security/outbound.ts";
import type { HttpReply, HttpRequest } from "./http-call.ts";
import { type Failure, targetOf } from "./http-exchange.ts";
import { Cancelled, Enough, TooSlow } from "./http-failures.ts";
import { flat } from "./http-headers.ts";

/** Either the reply or the failure is there. */
type OnEnd = (reply: HttpReply | undefined, failure: Failure | undefined) => void;

/** The longest silence in the middle of an answer. */
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
    this.#timer = setTimeout(() => this.cut(new TooSlow()), request.limitMs);
    request.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  start(dispatcher: Outgoing): void {
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
    else
      this.#onEnd(
        { status: this.#status, headers: this.#headers, bytes: Buffer.concat(this.#chunks), isCut },
        undefined,
      );
  }
}

const DECODERS = new Map([
  ["gzip", promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(gunzip)],
  ["x-gzip", promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(gunzip)],
  ["deflate", promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(inflate)],
  ["br", promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(brotliDecompress)],
]);

/** Some servers compress although we asked for no compression. The length of what comes out is bounded, too. */
export async function decodeBody(reply: HttpReply, maxBytes: number, source: string): Promise<HttpReply> {
  const encoding = String(reply.headers["content-encoding"] ?? "")
    .trim()
    .toLowerCase();
  if (encoding === "" || encoding === "identity" || reply.bytes.length === 0) return reply;
  const decode = DECODERS.get(encoding);
  if (!decode || reply.isCut) throw unreadable(source, "an answer compressed in a way that is not understood");
  try {
    return { ...reply, bytes: await decode(reply.bytes, { maxOutputLength: maxBytes }) };
  } catch (cause) {
    throw unreadable(source, `a compressed answer that is broken, or larger than ${maxBytes} bytes`, cause);
  }
}

/** It was answered, so it ran. */
function unreadable(source: string, reason: string, cause?: unknown): ZaguanError {
  return new ZaguanError("SOURCE_ERROR", { params: { source, reason }, delivery: "executed", cause });
}
