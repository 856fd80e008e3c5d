/** One HTTP request and its answer, as a door's handler sees it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../../core/call.ts";
import type { ZaguanError } from "../../errors.ts";
import { type CancelSignal, LightAbort } from "../../light-abort.ts";
import { type Language, languageOf } from "../../messages/catalogue.ts";
import { encodeError } from "../../protocol/json-rpc/message.ts";
import type { Exchange } from "../door.ts";
import { rpcError } from "../mcp/failure.ts";
import { BodyReader } from "./body.ts";
import type { CheckedRequest } from "./key-recheck.ts";
import { PacedText } from "./paced-text.ts";
import { NO_NAMES } from "./routes.ts";
import { isUnread } from "./unread.ts";

export class HttpExchange implements Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly language: Language;
  /** The caller, or the agent that it acts as. */
  principal: Principal;
  caller: Principal;
  names: Readonly<Record<string, string>> = NO_NAMES;
  /** The path as its door gave it. */
  endpoint = "unknown";
  readonly startedAt: number = performance.now();
  /** Set for a caller with a key: the key is checked again every few seconds while the request lasts. */
  recheck: CheckedRequest | undefined;
  #bodyBytes: number;
  #left: LightAbort | undefined;
  #body: BodyReader | undefined;
  /** The whole answer is on its way, though Node may not have all of it yet. */
  #isAnswered = false;

  /** @param language for callers who ask for none that we know */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
    language: Language,
    bodyBytes: number,
  ) {
    this.request = request;
    this.response = response;
    this.principal = principal;
    this.caller = principal;
    const wanted = request.headers["accept-language"];
    this.language = wanted === undefined ? language : languageOf(wanted, language);
    this.#bodyBytes = bodyBytes;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  get left(): CancelSignal {
    this.#left ??= new LightAbort();
    return this.#left;
  }

  /** Takes a larger body than usual; what is usual may be more already. */
  allowBody(bytes: number): void {
    this.#bodyBytes = Math.max(this.#bodyBytes, bytes);
  }

  readBody(): Promise<string> {
    this.#body = new BodyReader(this.request, this.#bodyBytes);
    return this.#body.text;
  }

  /** To be called when the answer has left or its caller has. */
  ended(): void {
    if (!this.response.writableEnded && !this.#isAnswered) this.#left?.abort();
    if (!this.request.complete) this.#body?.giveUp();
  }

  reply(status: number, body: string, headers: Readonly<Record<string, string>> = JSON_TYPE): void {
    if (this.response.headersSent || this.response.destroyed) return;
    if (status === 204) this.response.writeHead(status, [...ALWAYS]);
    else this.response.writeHead(status, headersOf(headers, Buffer.byteLength(body)));
    // Node throws where an answer that may have no body is given one.
    const said = this.request.method === "HEAD" || body === "" ? undefined : body;
    if (headers["connection"] === "close" && !this.request.complete) this.#endUnread(said);
    else if (said !== undefined && said.length > LARGE_ANSWER) this.#endPaced([said]);
    else this.end(said);
  }

  replyAround(middle: Uint8Array | string, before: string, behind: string): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    const size = Buffer.byteLength(before) + Buffer.byteLength(middle) + Buffer.byteLength(behind);
    response.writeHead(200, headersOf(JSON_TYPE, size));
    if (typeof middle === "string") this.#endPaced([before, middle, behind]);
    else this.#endCorked(middle, before, behind);
  }

  #endCorked(bytes: Uint8Array, before: string, behind: string): void {
    const { response } = this;
    // Corked, so that it becomes one write without a copy of the bytes.
    response.cork();
    response.write(before);
    response.write(bytes);
    this.end(behind);
  }

  /** What has not left at once, as nearly all does, counts as unread however small it is: each connection may hold one. */
  end(said?: Uint8Array | string): void {
    this.response.end(said);
    if (this.response.writableLength === 0) return;
    this.#limitReading();
    isUnread(this.response, this.request.socket);
  }

  /**
   * Nobody keeps an answer in our memory by not reading it: Node starts the time anew whenever some of it leaves, cuts
   * the connection when it is over, and sets the usual time once all has left.
   */
  #limitReading(): void {
    this.response.socket?.setTimeout(UNREAD_MS);
  }

  #endPaced(parts: readonly string[]): void {
    this.#isAnswered = true;
    this.#limitReading();
    const text = new PacedText(this.response);
    for (const part of parts) text.write(part);
    text.end();
  }

  fail(error: ZaguanError): void {
    this.reply(error.row.http, encodeError("null", rpcError(error, this.language)), failureHeaders(error));
  }

  /** Reads the rest of the body away for a moment: a caller who is still sending would lose the answer if we hung up. */
  #endUnread(said: string | undefined): void {
    const { request, response } = this;
    const end = () => this.end();
    const timer = setTimeout(end, LINGER_MS);
    request.once("end", end);
    response.once("close", () => clearTimeout(timer));
    if (said !== undefined) response.write(said);
    request.resume();
  }
}

const LINGER_MS = 1_000;
/** Characters from which on an answer is written piece by piece, as its client reads it. */
export const LARGE_ANSWER = 65_536;
const UNREAD_MS = 10_000;

/** Headers that the status asks for. */
export function failureHeaders(error: ZaguanError): Record<string, string> {
  const headers: Record<string, string> = { ...JSON_TYPE };
  const { retryAfterMs, params } = error.details;
  if (retryAfterMs !== undefined) headers["retry-after"] = String(Math.max(1, Math.ceil(retryAfterMs / 1_000)));
  if (error.row.http === 401) headers["www-authenticate"] = "Bearer";
  if (error.code === "METHOD_NOT_ALLOWED") headers["allow"] = String(params?.["allowed"] ?? "");
  // The rest of a body that we refuse to read must not be taken for the next request.
  if (error.code === "TOO_LARGE" || error.code === "UNSUPPORTED_MEDIA") headers["connection"] = "close";
  return headers;
}

export const JSON_TYPE: Readonly<Record<string, string>> = { "content-type": "application/json" };

/** Names and values in turn: Node takes such a list as it is. */
const ALWAYS = ["cache-control", "no-store", "x-content-type-options", "nosniff"] as const;

function headersOf(headers: Readonly<Record<string, string>>, bytes: number): string[] {
  const length = String(bytes);
  if (headers === JSON_TYPE) return [...ALWAYS, "content-type", "application/json", "content-length", length];
  const always = headers["cache-control"] === undefined ? ALWAYS : ALWAYS.slice(2);
  return [...always, ...Object.entries(headers).flat(), "content-length", length];
}
