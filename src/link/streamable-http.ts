/**
 * The client's side of MCP's Streamable HTTP as a pipe for whole JSON-RPC texts: with sessions (revisions 2025-03-26 to
 * 2025-11-25), and without (2026-07-28), which each message decides for itself. It knows sessions, versions and streams;
 * what the messages say is none of its business, except that `initialize` begins a session. It follows redirects to
 * another path of the same origin, asks for no compression and never sends a message twice.
 */
import type { IncomingHttpHeaders } from "node:http";
import { ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { makeOutbound, type Outbound } from "../security/outbound.ts";
import { CLOSED, type Ending, lost, unfit } from "./ending.ts";
import { EventStream } from "./event-stream.ts";
import { noProgress, type StreamProgress } from "./http-body.ts";
import { type AnswerReader, type ExchangeRequest, type Target, targetOf } from "./http-exchange.ts";
import { HttpExchanges, Reachability } from "./http-exchanges.ts";
import { sourceError, unavailable } from "./http-failures.ts";
import { type HeaderRecord, SessionHeaders } from "./http-headers.ts";
import { FLOODED, Intake } from "./intake.ts";
import type { Link, LinkHandlers, MessageHandlers } from "./link.ts";
import { PostAnswer, type Posted, type Poster } from "./post-answer.ts";

export interface StreamableHttpOptions {
  readonly url: string;
  /** Sent with every request; the transport's own headers win. */
  readonly headers: Readonly<Record<string, string>>;
  readonly allowPrivate: boolean;
  /** The source's name, for error texts. */
  readonly name: string;
  /** The size limit of one answer or event. */
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
  /** The headers of the message, instead of those of a session. */
  readonly headers: HeaderRecord;
  /** The answer is a stream that may be silent for hours, and none that anybody waits for. */
  readonly isEndless?: boolean | undefined;
}

export interface HttpLinkHandlers extends LinkHandlers {
  /** `sent` is the message in whose answer this one came; it is missing of what the server says unasked. */
  onMessage(message: string, sent?: string): unknown;
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
  send(message: string, signal?: CancelSignal, stateless?: Stateless): Promise<void>;
  /** The negotiated revision, for the header of all that follows. */
  setVersion(version: string): void;
  /**
   * Listens for what the server says unasked, if it offers that; to be called again after another `initialize`. Resolves
   * when the server sends a stream, or will not.
   */
  listen(): Promise<void>;
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

/** What is expected of a stream. */
interface Wish {
  readonly maxFailures: number;
  /** A server may have nothing to say for hours, so that silence is no failure. */
  readonly isEndless: boolean;
  isWanted(): boolean;
  onOpen?(): void;
  onOver(refusal?: number): void;
}

class StreamableHttp implements HttpLink {
  readonly #options: StreamableHttpOptions;
  readonly #handlers: HttpLinkHandlers;
  readonly #outbound: Outbound;
  /** Where requests go: the configured address, or where the server redirected us last. */
  #target: Target;
  readonly #headers: SessionHeaders;
  readonly #poster: Poster;
  readonly #intake: Intake;
  readonly #exchanges: HttpExchanges;
  readonly #reachability = new Reachability((reason) => this.#giveUp(lost(reason)));
  readonly #streams = new Set<EventStream>();
  readonly #gone = Promise.withResolvers<Ending>();
  readonly #onMoved = (target: Target): void => {
    this.#target = target;
  };
  /** How many sessions were begun so far. */
  #sessions = 0;
  #listener: { readonly session: number; readonly stream: EventStream } | undefined;
  /** In so many sessions a stream may be refused before it is clear that the server has none, or none any more. */
  #refusalsLeft = 0;
  #isSessionDead = false;
  #isClosing = false;
  #closing: Promise<void> | undefined;

  constructor(options: StreamableHttpOptions, handlers: HttpLinkHandlers, outbound: Outbound) {
    this.#options = options;
    this.#handlers = handlers;
    this.#outbound = outbound;
    this.#target = targetOf(new URL(options.url));
    this.#exchanges = new HttpExchanges(outbound.to(this.#target.origin), this.#reachability, options.idleMs);
    this.#headers = new SessionHeaders(options.headers);
    this.#poster = this.#makePoster();
    this.#intake = new Intake({
      deliver: (message, sent) => handlers.onMessage(message, sent),
      pause: () => this.#exchanges.pause(),
      resume: () => this.#exchanges.resume(),
      onFlood: () => this.#giveUp(unfit(FLOODED)),
    });
  }

  get sessionId(): string | undefined {
    return this.#headers.session;
  }

  get closed(): Promise<Ending> {
    return this.#gone.promise;
  }

  setVersion(version: string): void {
    this.#headers.version = version;
  }

  send(message: string, signal?: CancelSignal, stateless?: Stateless): Promise<void> {
    if (this.#isClosing) return Promise.reject(unavailable(this.#options.name, "closed"));
    if (signal?.aborted) return Promise.reject(new ZaguanError("CANCELLED", { delivery: "not_sent" }));
    const opensSession = isInitialize(message);
    const isStateless = stateless !== undefined;
    const session = opensSession || isStateless ? undefined : this.#headers.session;
    const posted: Posted = { message, opensSession, session, isStateless, signal };
    const answer = new PostAnswer(posted, this.#poster);
    this.#exchanges.run(this.#post(posted, stateless), answer, signal);
    return answer.acceptance;
  }

  listen(): Promise<void> {
    if (this.#isClosing || this.#listener?.session === this.#sessions) return Promise.resolve();
    this.#listener?.stream.stop();
    const heard = Promise.withResolvers<void>();
    const stream: EventStream = this.#stream(undefined, noProgress(), {
      maxFailures: Number.POSITIVE_INFINITY,
      isEndless: true,
      isWanted: () => true,
      onOpen: () => {
        this.#refusalsLeft = MAX_REFUSALS;
        heard.resolve();
      },
      onOver: (refusal = 0) => {
        heard.resolve();
        if (FORGETFUL.has(refusal) && this.#listener?.stream === stream) this.#forgotten();
      },
    });
    this.#listener = { session: this.#sessions, stream };
    stream.start();
    return heard.promise;
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  #makePoster(): Poster {
    const { name, maxBytes } = this.#options;
    return {
      name,
      maxBytes,
      onMessage: (message, sent) => this.#intake.take(message, sent),
      onNoise: (line) => this.#handlers.onNoise?.(line),
      onTooLarge: (message) => this.#handlers.onTooLarge?.(message),
      isAnswered: ({ message }) => this.#handlers.isPending?.(message) === false,
      onAccepted: ({ opensSession }, headers) => {
        if (opensSession) this.#beginSession(headers);
      },
      onRefused: ({ session }, error) => {
        if (error.code === "UNKNOWN_SESSION" && session === this.#headers.session) this.#forgotten();
      },
      onOver: (posted, error, progress) => {
        this.#intake.flush();
        if (this.#canResume(posted, error, progress)) this.#resume(posted, error, progress);
        else this.#handlers.onAnswerEnded(posted.message, error);
      },
    };
  }

  #handlersFor(sent: string | undefined): MessageHandlers {
    return {
      onMessage: (message) => this.#intake.take(message, sent),
      onNoise: (line) => this.#handlers.onNoise?.(line),
      onTooLarge: (message) => this.#handlers.onTooLarge?.(message),
    };
  }

  #beginSession(headers: IncomingHttpHeaders): void {
    const id = headers["mcp-session-id"];
    if (id !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(String(id))) {
      throw sourceError(this.#options.name, "an invalid session id");
    }
    this.#headers.session = id === undefined ? undefined : String(id);
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
  #canResume(posted: Posted, error: ZaguanError | undefined, progress: StreamProgress): boolean {
    if (!progress.lastEventId || posted.isStateless || this.#isClosing) return false;
    const wasCut = error === undefined || error.code === "OUTCOME_UNKNOWN";
    return wasCut && this.#handlers.isPending?.(posted.message) === true;
  }

  #resume({ message, signal }: Posted, error: ZaguanError | undefined, progress: StreamProgress): void {
    const isWanted = () => this.#handlers.isPending?.(message) === true;
    const lost = () => (isWanted() ? (error ?? this.#lost()) : undefined);
    const stop = () => stream.stop();
    this.#reachability.expect();
    const stream = this.#stream(message, progress, {
      maxFailures: RESUME_ATTEMPTS,
      isEndless: false,
      isWanted,
      onOver: () => {
        signal?.removeEventListener("abort", stop);
        this.#intake.flush();
        const cancelled = new ZaguanError("CANCELLED", { delivery: "unknown" });
        this.#handlers.onAnswerEnded(message, signal?.aborted ? cancelled : lost());
        this.#reachability.arrived();
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
      name,
      maxBytes,
      progress,
      handlers: this.#handlersFor(sent),
      open: (lastEventId, reader) => this.#exchanges.run(this.#get(lastEventId, wish.isEndless), reader),
      onOver: (refusal) => {
        this.#streams.delete(stream);
        wish.onOver(refusal);
      },
    });
    this.#streams.add(stream);
    return stream;
  }

  #post({ message, opensSession, signal }: Posted, stateless: Stateless | undefined): ExchangeRequest {
    const { unaskedMs = UNASKED_MS } = this.#options;
    const session = opensSession ? this.#headers.opening : this.#headers.post;
    return {
      method: "POST",
      target: this.#target,
      headers: stateless ? this.#headers.stateless(stateless.headers) : session,
      body: message,
      isEndless: stateless?.isEndless === true,
      limitMs: signal ? undefined : unaskedMs,
      onMoved: this.#onMoved,
    };
  }

  #get(lastEventId: string | undefined, isEndless: boolean): ExchangeRequest {
    const headers = this.#headers.stream(lastEventId);
    return { method: "GET", target: this.#target, headers, isEndless, onMoved: this.#onMoved };
  }

  #giveUp(ending: Ending): void {
    if (this.#isClosing) return;
    this.#gone.resolve(ending);
    void this.close();
  }

  async #shutDown(): Promise<void> {
    this.#isClosing = true;
    this.#intake.end();
    for (const stream of [...this.#streams]) stream.stop();
    if (this.#headers.session !== undefined && !this.#isSessionDead) await this.#endSession();
    this.#exchanges.cutAll(new Error("closed"));
    await this.#outbound.close();
    this.#gone.resolve(CLOSED);
  }

  /** A courtesy: whether the server takes it or not, we are going. */
  #endSession(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const reader: AnswerReader = { onHead: () => resolve(), onData: () => {}, onEnd: () => resolve() };
    const goodbye = { target: this.#target, headers: this.#headers.bare, isEndless: false, limitMs: GOODBYE_MS };
    this.#exchanges.run({ method: "DELETE", ...goodbye }, reader);
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
