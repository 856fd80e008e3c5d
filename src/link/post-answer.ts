/** The answer to one POST: tells the sender whether it was accepted, hands out the messages in it, and tells its end. */
import type { IncomingHttpHeaders } from "node:http";
import { toZaguanError, type ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import type { CutMessage } from "../protocol/framing/passed-over.ts";
import {
  type Body,
  type BodyOptions,
  noProgress,
  openBody,
  refuseEncoding,
  type StreamProgress,
  TextBody,
} from "./http-body.ts";
import type { AnswerReader, Cuttable, Failure } from "./http-exchange.ts";
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
import type { MessageHandlers } from "./link.ts";

/** One message on its way. */
export interface Posted {
  readonly message: string;
  /** It is an `initialize`. */
  readonly opensSession: boolean;
  /** The session that it names. */
  readonly session: string | undefined;
  /** Of a revision in which any JSON-RPC error is the answer to what was posted. */
  readonly isStateless: boolean;
  readonly signal: CancelSignal | undefined;
}

/** Whoever posts; the same for all of its messages. */
export interface Poster {
  readonly name: string;
  readonly maxBytes: number;
  onMessage(message: string, sent: string): void;
  onNoise(line: string): void;
  /** An event of its answer was too large and was passed over. */
  onTooLarge?(message: CutMessage): void;
  onAccepted(posted: Posted, headers: IncomingHttpHeaders): void;
  /** Right before the sender is told. */
  onRefused(posted: Posted, error: ZaguanError): void;
  /** Asked after events: true when nothing more is wanted of them. */
  isAnswered(posted: Posted): boolean;
  /** After an accepted answer's end; `progress` is how far its event stream came. */
  onOver(posted: Posted, error: ZaguanError | undefined, progress: StreamProgress): void;
}

/** With these, and the word, servers in the wild refuse whoever comes with a session that they do not know. */
const SESSION_CODES: ReadonlySet<number> = new Set([-32000, -32001, -32600]);
const SESSION_WORDS = /session|initiali[sz]/i;
/** A stream that ends by itself after its response leaves a connection that can be used again; most do so at once. */
const LINGER_MS = 100;

export class PostAnswer implements AnswerReader, MessageHandlers, BodyOptions {
  readonly #posted: Posted;
  readonly #poster: Poster;
  readonly #acceptance = Promise.withResolvers<void>();
  readonly #progress: StreamProgress = noProgress();
  #surplus: NodeJS.Timeout | undefined;
  #isAccepted = false;
  #body: Body | undefined;
  #refused: { readonly status: number; readonly body: TextBody } | undefined;

  constructor(posted: Posted, poster: Poster) {
    this.#posted = posted;
    this.#poster = poster;
  }

  /** Resolves with the answer's head if that is good; rejects with a ZaguanError otherwise. */
  get acceptance(): Promise<void> {
    return this.#acceptance.promise;
  }

  get name(): string {
    return this.#poster.name;
  }

  get maxBytes(): number {
    return this.#poster.maxBytes;
  }

  /** Its own, so that a body needs nothing made for it. */
  get handlers(): MessageHandlers {
    return this;
  }

  onMessage(message: string): void {
    this.#poster.onMessage(message, this.#posted.message);
  }

  onNoise(line: string): void {
    this.#poster.onNoise(line);
  }

  onTooLarge(message: CutMessage): void {
    this.#poster.onTooLarge?.(message);
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    if (status < 300) {
      this.#body = openBody(status, headers, this, this.#progress);
      this.#poster.onAccepted(this.#posted, headers);
      this.#accept();
      return;
    }
    const error = explainStatus(status, headers, this.name, this.#posted.session !== undefined);
    if (error) throw error;
    refuseEncoding(headers, this.name);
    this.#refused = { status, body: new TextBody(headers, this.maxBytes, this.name) };
  }

  onData(chunk: Uint8Array, exchange: Cuttable): void {
    const before = this.#progress.events;
    if (this.#body) this.#body.push(chunk);
    else this.#refused?.body.push(chunk);
    if (this.#progress.events > before && this.#poster.isAnswered(this.#posted)) this.#linger(exchange);
  }

  onEnd(failure: Failure | undefined): void {
    if (this.#surplus) clearTimeout(this.#surplus);
    const error = failure ? this.#explain(failure) : this.#readEnd();
    if (this.#isAccepted) this.#poster.onOver(this.#posted, error, this.#progress);
    else this.#refuse(error ?? sourceError(this.name, "no answer"));
  }

  #refuse(error: ZaguanError): void {
    this.#poster.onRefused(this.#posted, error);
    this.#acceptance.reject(error);
  }

  #linger(exchange: Cuttable): void {
    this.#surplus ??= setTimeout(() => exchange.cut(new Enough("answered")), LINGER_MS);
  }

  #explain(failure: Failure): ZaguanError | undefined {
    if (this.#isAccepted && failure.cause instanceof Enough) return undefined;
    return explainFailure(failure, this.name);
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
    const { message, session, isStateless } = this.#posted;
    const text = body.text();
    const refusal = text === undefined ? undefined : asRpcError(text);
    if (text === undefined || !refusal) throw sourceError(this.name, `HTTP ${status}`, new HttpStatus(status));
    const { id, error } = refusal;
    if (isStateless) throw relayedRefusal(this.name, status, error);
    if (status === 400 && session !== undefined && id === null && isOfSession(error))
      throw unknownSession(`HTTP 400: ${error.message}`);
    if (!isIdOf(message, id)) throw sourceError(this.name, `HTTP ${status}`, new HttpStatus(status, error.message));
    this.#accept();
    this.onMessage(text);
  }

  #accept(): void {
    this.#isAccepted = true;
    this.#acceptance.resolve();
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
