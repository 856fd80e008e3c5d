/** The answer to one POST: tells the sender whether it was accepted, hands out the messages in it, and tells its end. */
import type { IncomingHttpHeaders } from "node:http";
import { toZaguanError, type ZaguanError } from "../errors.ts";
import {
  type Body,
  type BodyOptions,
  noProgress,
  openBody,
  refuseEncoding,
  type StreamProgress,
  TextBody,
} from "./http-body.ts";
import type { AnswerReader, Failure } from "./http-exchange.ts";
import {
  Enough,
  explainFailure,
  explainStatus,
  HttpStatus,
  type RpcError,
  relayedRefusal,
  sourceError,
  unknownSession,
} from "./http-failures.ts";

export interface PostAnswerOptions extends BodyOptions {
  readonly sessionSent: boolean;
  /** Of a revision in which any JSON-RPC error is the answer to what was posted. */
  readonly isStateless?: boolean | undefined;
  /** The message that was posted. */
  readonly sent: string;
  onAccepted(headers: IncomingHttpHeaders): void;
  /** Asked after events: true when nothing more is wanted of them. */
  isAnswered(): boolean;
  /** The event stream goes on though nothing more is wanted of it: time to cut it. */
  onSurplus(): void;
  /** After an accepted answer's end; `progress` is how far its event stream came. */
  onOver(error: ZaguanError | undefined, progress: StreamProgress): void;
}

/** With these, and the word, servers in the wild refuse whoever comes with a session that they do not know. */
const SESSION_CODES: ReadonlySet<number> = new Set([-32000, -32001, -32600]);
const SESSION_WORDS = /session|initiali[sz]/i;
/** A stream that ends by itself after its response leaves a connection that can be used again; most do so at once. */
const LINGER_MS = 100;

export class PostAnswer implements AnswerReader {
  readonly #options: PostAnswerOptions;
  readonly #acceptance = Promise.withResolvers<void>();
  readonly #progress: StreamProgress = noProgress();
  #surplus: NodeJS.Timeout | undefined;
  #isAccepted = false;
  #body: Body | undefined;
  #refused: { readonly status: number; readonly body: TextBody } | undefined;

  constructor(options: PostAnswerOptions) {
    this.#options = options;
  }

  /** Resolves with the answer's head if that is good; rejects with a ZaguanError otherwise. */
  get acceptance(): Promise<void> {
    return this.#acceptance.promise;
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    const { name, sessionSent, maxBytes } = this.#options;
    if (status < 300) {
      this.#body = openBody(status, headers, this.#options, this.#progress);
      this.#options.onAccepted(headers);
      this.#accept();
      return;
    }
    const error = explainStatus(status, headers, name, sessionSent);
    if (error) throw error;
    refuseEncoding(headers, name);
    this.#refused = { status, body: new TextBody(headers, maxBytes) };
  }

  onData(chunk: Uint8Array): void {
    const before = this.#progress.events;
    if (this.#body) this.#body.push(chunk);
    else this.#refused?.body.push(chunk);
    if (this.#progress.events > before && this.#options.isAnswered()) this.#linger();
  }

  onEnd(failure: Failure | undefined): void {
    clearTimeout(this.#surplus);
    const error = failure ? this.#explain(failure) : this.#readEnd();
    if (this.#isAccepted) this.#options.onOver(error, this.#progress);
    else this.#acceptance.reject(error ?? sourceError(this.#options.name, "no answer"));
  }

  #linger(): void {
    this.#surplus ??= setTimeout(() => this.#options.onSurplus(), LINGER_MS);
  }

  #explain(failure: Failure): ZaguanError | undefined {
    if (this.#isAccepted && failure.cause instanceof Enough) return undefined;
    return explainFailure(failure, this.#options.name);
  }

  #readEnd(): ZaguanError | undefined {
    try {
      if (this.#refused) this.#readRefusal(this.#refused.status, this.#refused.body);
      this.#body?.end();
      return undefined;
    } catch (error) {
      return toZaguanError(error);
    }
  }

  /**
   * A JSON-RPC error to our request is an answer like any other, whatever the status. Servers in the wild tell of a dead
   * session by 400 and an error without an id, where the protocol asks for 404; any other such error may be of a call
   * that ran.
   */
  #readRefusal(status: number, body: TextBody): void {
    const { name, handlers, sessionSent, isStateless, sent } = this.#options;
    const text = decode(body);
    const refusal = text === undefined ? undefined : asRpcError(text);
    if (text === undefined || !refusal) throw sourceError(name, `HTTP ${status}`, new HttpStatus(status));
    const { id, error } = refusal;
    if (isStateless) throw relayedRefusal(name, status, error);
    if (status === 400 && sessionSent && id === null && isOfSession(error))
      throw unknownSession(`HTTP 400: ${error.message}`);
    if (!isIdOf(sent, id)) throw sourceError(name, `HTTP ${status}`, new HttpStatus(status, error.message));
    this.#accept();
    handlers.onMessage(text);
  }

  #accept(): void {
    this.#isAccepted = true;
    this.#acceptance.resolve();
  }
}

function decode(body: TextBody): string | undefined {
  try {
    return body.text();
  } catch {
    return undefined;
  }
}

function asRpcError(text: string): { readonly id: unknown; readonly error: RpcError } | undefined {
  try {
    const { jsonrpc, error, id = null } = JSON.parse(text);
    if (jsonrpc !== "2.0" || !Number.isInteger(error?.code)) return undefined;
    const { code, data } = error;
    return { id, error: { code, message: String(error.message).slice(0, 2_000), data } };
  } catch {
    return undefined;
  }
}

function isOfSession({ code, message }: RpcError): boolean {
  return SESSION_CODES.has(code) && SESSION_WORDS.test(message);
}

/** Some servers send our number back as a string. */
function isIdOf(sent: string, id: unknown): boolean {
  const { id: own } = JSON.parse(sent);
  return own !== undefined && String(own) === String(id);
}
