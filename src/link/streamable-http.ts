/**
 * The client's side of MCP's Streamable HTTP as a pipe for whole JSON-RPC texts: with sessions (revisions 2025-03-26 to
 * 2025-11-25), and without (2026-07-28), which each message decides for itself. It knows sessions, versions and streams;
 * what the messages say is none of its business, except that `initialize` begins a session. It follows no redirect, asks
 * for no compression and never sends a message twice.
 */
import type { IncomingHttpHeaders } from "node:http";
import { ZaguanError } from "../errors.ts";
import { makeOutbound, type Outbound } from "../security/outbound.ts";
import type { MessageHandlers } from "./deliver.ts";
import { EventStream } from "./event-stream.ts";
import { noProgress, type StreamProgress } from "./http-body.ts";
import type { AnswerReader, ExchangeRequest } from "./http-exchange.ts";
import { HttpExchanges } from "./http-exchanges.ts";
import { Enough, sourceError, unavailable } from "./http-failures.ts";
import { Reachability } from "./http-reachability.ts";
import type { Link, LinkHandlers } from "./link.ts";
import { PostAnswer } from "./post-answer.ts";

export interface StreamableHttpOptions {
  readonly url: string;
  /** Sent with every request; the transport's own headers win. */
  readonly headers: Readonly<Record<string, string>>;
  readonly allowPrivate: boolean;
  /** The source's name, for error texts. */
  readonly name: string;
  /** Of one answer or event. */
  readonly maxBytes: number;
  /** Silence allowed on an answer that has begun; comments of an event stream count as life. */
  readonly idleMs: number;
  /**
   * For messages sent without a signal, which are those that nobody waits for; for all of their answer.
   * @default 10 s
   */
  readonly unaskedMs?: number | undefined;
}

/** How a message of a stateless revision is sent: it names no session, and an answer that is cut is lost. */
export interface Stateless {
  /** Its own, instead of those of a session. */
  readonly headers: Readonly<Record<string, string>>;
  /** The answer is a stream that may be silent for hours, and none that anybody waits for. */
  readonly isEndless?: boolean | undefined;
}

export interface HttpLinkHandlers extends LinkHandlers {
  /** `sent` is the message in whose answer this one came; it is missing of what the server says unasked. */
  onMessage(message: string, sent?: string): void;
  /**
   * Exactly once per message whose `send` resolved (possibly in the same tick), when nothing more will come in answer to
   * it; with the error if its answer broke.
   */
  onAnswerEnded(sent: string, error: ZaguanError | undefined): void;
  /**
   * True while the message still lacks its response: then an answer cut after an event id is taken up again. Once it is
   * false, an event stream that goes on is cut.
   */
  isPending?(sent: string): boolean;
  /**
   * Once for every session in which the server was listened to and which it forgot: nothing comes unasked any more until
   * another `initialize` and `listen`. Whoever sends something is told by the refusal of that.
   */
  onSessionLost?(): void;
}

/** Its `closed` also resolves, with the reason, when the server cannot be reached several times in a row. */
export interface HttpLink extends Link {
  /** Resolves with the head of a good answer; its messages follow. Aborting stops waiting and reading. */
  send(message: string, signal?: AbortSignal, stateless?: Stateless): Promise<void>;
  /** The negotiated revision, for the header of all that follows. */
  setVersion(version: string): void;
  /** Listens for what the server says unasked, if it offers that; to be called again after another `initialize`. */
  listen(): void;
  readonly sessionId: string | undefined;
}

export async function openStreamableHttp(
  options: StreamableHttpOptions,
  handlers: HttpLinkHandlers,
): Promise<HttpLink> {
  const outbound = await makeOutbound({ allowPrivate: options.allowPrivate });
  try {
    outbound.check(options.url);
  } catch (error) {
    await outbound.close();
    throw error;
  }
  return new StreamableHttp(options, handlers, outbound);
}

const GOODBYE_MS = 1000;
const UNASKED_MS = 10_000;
const RESUME_ATTEMPTS = 5;
/**
 * By these a server refuses to go on with a stream if it does not know the session; some take the second for it. Servers
 * that offer no stream take them, too.
 */
const FORGETFUL: ReadonlySet<number> = new Set([404, 400]);
const MAX_REFUSALS = 3;
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "content-type",
  "content-length",
  "mcp-session-id",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "last-event-id",
]);

/** What is expected of a stream. */
interface Wish {
  readonly maxFailures: number;
  readonly idleMs: number;
  isWanted(): boolean;
  onOpen?(): void;
  onOver(refusal?: number): void;
}

/** One message on its way. */
interface Sending {
  readonly message: string;
  readonly opensSession: boolean;
  /** The session that it names. */
  readonly session: string | undefined;
  readonly stateless: Stateless | undefined;
  readonly signal: AbortSignal | undefined;
}

class StreamableHttp implements HttpLink {
  readonly #options: StreamableHttpOptions;
  readonly #handlers: HttpLinkHandlers;
  readonly #outbound: Outbound;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #exchanges: HttpExchanges;
  readonly #reachability = new Reachability((reason) => this.#giveUp(reason));
  readonly #streams = new Set<EventStream>();
  readonly #gone = Promise.withResolvers<string>();
  /** How many sessions were begun so far. */
  #sessions = 0;
  #listener: { readonly session: number; readonly stream: EventStream } | undefined;
  /** In so many sessions a stream may be refused before it is clear that the server has none, or none any more. */
  #refusalsLeft = 0;
  #sessionId: string | undefined;
  #isSessionDead = false;
  #version: string | undefined;
  #isClosing = false;
  #closing: Promise<void> | undefined;

  constructor(options: StreamableHttpOptions, handlers: HttpLinkHandlers, outbound: Outbound) {
    this.#options = options;
    this.#handlers = handlers;
    this.#outbound = outbound;
    this.#exchanges = new HttpExchanges(outbound.dispatcher, this.#reachability);
    this.#url = new URL(options.url);
    const names = Object.keys(options.headers).filter((name) => !OWN_HEADERS.has(name.toLowerCase()));
    this.#headers = Object.fromEntries(names.map((name) => [name.toLowerCase(), options.headers[name] ?? ""]));
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  get closed(): Promise<string> {
    return this.#gone.promise;
  }

  setVersion(version: string): void {
    this.#version = version;
  }

  async send(message: string, signal?: AbortSignal, stateless?: Stateless): Promise<void> {
    if (this.#isClosing) throw unavailable(this.#options.name, "closed");
    if (signal?.aborted) throw new ZaguanError("CANCELLED", { delivery: "not_sent" });
    const opensSession = isInitialize(message);
    const session = opensSession || stateless ? undefined : this.#sessionId;
    const sending: Sending = { message, opensSession, session, stateless, signal };
    const answer = this.#expectAnswer(sending, () => cut(new Enough("answered")));
    const cut = this.#exchanges.run(this.#post(sending), answer, signal);
    try {
      await answer.acceptance;
    } catch (error) {
      const isDead = error instanceof ZaguanError && error.code === "UNKNOWN_SESSION";
      if (isDead && session === this.#sessionId) this.#forgotten();
      throw error;
    }
  }

  listen(): void {
    if (this.#isClosing || this.#listener?.session === this.#sessions) return;
    this.#listener?.stream.stop();
    const stream: EventStream = this.#stream(undefined, noProgress(), {
      // A server may have nothing to say for hours, so silence is no failure here.
      ...{ maxFailures: Number.POSITIVE_INFINITY, idleMs: 0, isWanted: () => true },
      onOpen: () => {
        this.#refusalsLeft = MAX_REFUSALS;
      },
      onOver: (refusal = 0) => {
        if (FORGETFUL.has(refusal) && this.#listener?.stream === stream) this.#forgotten();
      },
    });
    this.#listener = { session: this.#sessions, stream };
    stream.start();
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  #expectAnswer(sending: Sending, onSurplus: () => void): PostAnswer {
    const { name, maxBytes } = this.#options;
    const { message, opensSession, session, stateless, signal } = sending;
    return new PostAnswer({
      ...{ name, maxBytes, onSurplus, handlers: this.#handlersFor(message) },
      sent: message,
      sessionSent: session !== undefined,
      isStateless: stateless !== undefined,
      isAnswered: () => this.#handlers.isPending?.(message) === false,
      onAccepted: (headers) => {
        if (opensSession) this.#beginSession(headers);
      },
      onOver: (error, progress) => {
        if (!stateless && this.#canResume(message, error, progress)) this.#resume(message, error, progress, signal);
        else this.#handlers.onAnswerEnded(message, error);
      },
    });
  }

  #handlersFor(sent: string | undefined): MessageHandlers {
    return {
      onMessage: (message) => this.#handlers.onMessage(message, sent),
      onNoise: (line) => this.#handlers.onNoise?.(line),
    };
  }

  #beginSession(headers: IncomingHttpHeaders): void {
    const id = headers["mcp-session-id"];
    if (id !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(String(id))) {
      throw sourceError(this.#options.name, "an invalid session id");
    }
    this.#sessionId = id === undefined ? undefined : String(id);
    this.#isSessionDead = false;
    this.#sessions++;
  }

  #forgotten(): void {
    this.#isSessionDead = true;
    const listener = this.#listener;
    if (this.#isClosing || this.#refusalsLeft === 0 || listener?.session !== this.#sessions) return;
    this.#refusalsLeft--;
    this.#listener = undefined;
    listener.stream.stop();
    this.#handlers.onSessionLost?.();
  }

  /** Only a connection that was lost or let go is worth it, not an answer that was refused or given up. */
  #canResume(message: string, error: ZaguanError | undefined, progress: StreamProgress): boolean {
    const wasCut = error === undefined || error.code === "OUTCOME_UNKNOWN";
    return wasCut && !!progress.lastEventId && !this.#isClosing && this.#handlers.isPending?.(message) === true;
  }

  #resume(message: string, error: ZaguanError | undefined, progress: StreamProgress, signal?: AbortSignal): void {
    const isWanted = () => this.#handlers.isPending?.(message) === true;
    const lost = () => (isWanted() ? (error ?? this.#lost()) : undefined);
    const stop = () => stream.stop();
    const arrived = this.#reachability.expect();
    const stream = this.#stream(message, progress, {
      ...{ maxFailures: RESUME_ATTEMPTS, idleMs: this.#options.idleMs, isWanted },
      onOver: () => {
        signal?.removeEventListener("abort", stop);
        const cancelled = new ZaguanError("CANCELLED", { delivery: "unknown" });
        this.#handlers.onAnswerEnded(message, signal?.aborted ? cancelled : lost());
        arrived();
      },
    });
    signal?.addEventListener("abort", stop, { once: true });
    stream.startLater();
  }

  #lost(): ZaguanError {
    return new ZaguanError("OUTCOME_UNKNOWN", { params: { source: this.#options.name }, delivery: "unknown" });
  }

  #stream(sent: string | undefined, progress: StreamProgress, wish: Wish): EventStream {
    const { name, maxBytes } = this.#options;
    const stream: EventStream = new EventStream({
      ...wish,
      ...{ name, maxBytes, progress, handlers: this.#handlersFor(sent) },
      open: (lastEventId, reader) => this.#exchanges.run(this.#get(lastEventId, wish.idleMs), reader),
      onOver: (refusal) => {
        this.#streams.delete(stream);
        wish.onOver(refusal);
      },
    });
    this.#streams.add(stream);
    return stream;
  }

  #post({ message, opensSession, stateless, signal }: Sending): ExchangeRequest {
    const own = opensSession ? this.#headers : this.#sessionHeaders();
    const headers = {
      ...(stateless ? { ...this.#headers, ...stateless.headers } : own),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "accept-encoding": "identity",
    };
    const isEndless = stateless?.isEndless === true;
    const { unaskedMs = UNASKED_MS } = this.#options;
    const limits = { idleMs: isEndless ? 0 : this.#options.idleMs, limitMs: signal ? undefined : unaskedMs };
    return { method: "POST", url: this.#url, headers, body: message, isEndless, ...limits };
  }

  #get(lastEventId: string | undefined, idleMs: number): ExchangeRequest {
    const headers: Record<string, string> = { ...this.#sessionHeaders(), accept: "text/event-stream" };
    headers["accept-encoding"] = "identity";
    if (lastEventId) headers["last-event-id"] = lastEventId;
    return { method: "GET", url: this.#url, headers, idleMs };
  }

  #sessionHeaders(): Record<string, string> {
    const headers: Record<string, string> = { ...this.#headers };
    if (this.#sessionId !== undefined) headers["mcp-session-id"] = this.#sessionId;
    if (this.#version !== undefined) headers["mcp-protocol-version"] = this.#version;
    return headers;
  }

  #giveUp(reason: string): void {
    if (this.#isClosing) return;
    this.#gone.resolve(reason);
    void this.close();
  }

  async #shutDown(): Promise<void> {
    this.#isClosing = true;
    for (const stream of [...this.#streams]) stream.stop();
    if (this.#sessionId !== undefined && !this.#isSessionDead) await this.#endSession();
    this.#exchanges.cutAll(new Error("closed"));
    await this.#outbound.close();
    this.#gone.resolve("closed");
  }

  /** A courtesy: whether the server takes it or not, we are going. */
  #endSession(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const reader: AnswerReader = { onHead: () => resolve(), onData: () => {}, onEnd: () => resolve() };
    const limits = { idleMs: GOODBYE_MS, limitMs: GOODBYE_MS };
    this.#exchanges.run({ method: "DELETE", url: this.#url, headers: this.#sessionHeaders(), ...limits }, reader);
    return promise;
  }
}

function isInitialize(message: string): boolean {
  if (!message.includes('"initialize"')) return false;
  try {
    return JSON.parse(message).method === "initialize";
  } catch {
    return false;
  }
}
