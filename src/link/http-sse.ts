/**
 * The client's side of HTTP+SSE (revision 2024-11-05) as a pipe for whole JSON-RPC texts. The session is the stream: it
 * cannot be taken up again, so when it ends the link does. It follows no redirect, asks for no compression and never
 * sends a message twice.
 */
import type { ZaguanError } from "../errors.ts";
import { makeOutbound, type Outbound } from "../security/outbound.ts";
import { EndpointStream } from "./endpoint-stream.ts";
import type { ExchangeRequest } from "./http-exchange.ts";
import { HttpExchanges } from "./http-exchanges.ts";
import { Enough, unavailable } from "./http-failures.ts";
import { Reachability } from "./http-reachability.ts";
import type { Link, LinkHandlers } from "./link.ts";
import { givenUp } from "./link-failures.ts";
import { PostedMessage } from "./posted-message.ts";

export interface HttpSseOptions {
  readonly url: string;
  /** Sent with every request; the transport's own headers win. */
  readonly headers: Readonly<Record<string, string>>;
  readonly allowPrivate: boolean;
  /** The source's name, for error texts. */
  readonly name: string;
  /** Of one event or answer. */
  readonly maxBytes: number;
  /** Gives up opening; after that it means nothing. */
  readonly signal?: AbortSignal | undefined;
  /**
   * For messages sent without a signal, which are those that nobody waits for; for all of their answer.
   * @default 10 s
   */
  readonly unaskedMs?: number | undefined;
}

/**
 * Resolves when the server has said where to send; messages may be handed out before that. Rejects with
 * SOURCE_UNAVAILABLE, or FORBIDDEN_ADDRESS, and leaves nothing behind.
 */
export async function openHttpSse(options: HttpSseOptions, handlers: LinkHandlers): Promise<Link> {
  const outbound = await makeOutbound({ allowPrivate: options.allowPrivate });
  try {
    outbound.check(options.url);
    const link = new HttpSse(options, handlers, outbound);
    await link.open(options.signal);
    return link;
  } catch (error) {
    await outbound.close();
    throw error;
  }
}

const UNASKED_MS = 10_000;
/** Silence allowed on an answer to a POST that has begun. */
const IDLE_MS = 300_000;
const OWN_HEADERS: ReadonlySet<string> = new Set(["accept", "accept-encoding", "content-type", "content-length"]);

class HttpSse implements Link {
  readonly #options: HttpSseOptions;
  readonly #handlers: LinkHandlers;
  readonly #outbound: Outbound;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #exchanges: HttpExchanges;
  readonly #opening = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<string>();
  /** Where to send, while there is a stream to answer on. */
  #target: URL | undefined;
  #end = "closed";
  #isClosing = false;
  #closing: Promise<void> | undefined;

  constructor(options: HttpSseOptions, handlers: LinkHandlers, outbound: Outbound) {
    this.#options = options;
    this.#handlers = handlers;
    this.#outbound = outbound;
    this.#url = new URL(options.url);
    this.#headers = foreignHeaders(options.headers);
    this.#exchanges = new HttpExchanges(outbound.dispatcher, new Reachability((reason) => this.#over(reason)));
  }

  get closed(): Promise<string> {
    return this.#gone.promise;
  }

  async open(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw givenUp(signal);
    const onAbort = (): void => signal && this.#opening.reject(givenUp(signal));
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#exchanges.run(this.#get(), this.#stream());
    try {
      await this.#opening.promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async send(message: string, signal?: AbortSignal): Promise<void> {
    if (!this.#target) throw unavailable(this.#options.name, this.#end);
    if (signal?.aborted) throw givenUp(signal);
    const { name, maxBytes, unaskedMs = UNASKED_MS } = this.#options;
    const onSurplus = (): void => cut(new Enough("accepted"));
    const posted = new PostedMessage({ name, maxBytes, handlers: this.#handlers, sent: message, onSurplus });
    const cut = this.#exchanges.run(this.#post(this.#target, message, signal ? undefined : unaskedMs), posted, signal);
    await posted.accepted();
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  #stream(): EndpointStream {
    const { name, maxBytes } = this.#options;
    return new EndpointStream({
      ...{ url: this.#url, name, maxBytes, handlers: this.#handlers },
      onEndpoint: (endpoint) => {
        this.#target = endpoint;
        this.#opening.resolve();
      },
      onOver: (error) => this.#streamOver(error),
    });
  }

  #streamOver(error: ZaguanError): void {
    this.#opening.reject(error);
    this.#over(String(error.details.params?.["reason"] ?? error.code));
  }

  /** What was posted before may still be accepted or refused; each message learns that from its own exchange. */
  #over(reason: string): void {
    if (this.#isClosing) return;
    this.#target = undefined;
    this.#end = reason;
    this.#gone.resolve(reason);
  }

  async #shutDown(): Promise<void> {
    this.#isClosing = true;
    this.#target = undefined;
    this.#exchanges.cutAll(new Error("closed"));
    await this.#outbound.close();
    this.#gone.resolve("closed");
  }

  #get(): ExchangeRequest {
    const headers = { ...this.#headers, accept: "text/event-stream", "accept-encoding": "identity" };
    // A server may have nothing to say for hours, so silence is no failure here.
    return { method: "GET", url: this.#url, headers, idleMs: 0 };
  }

  #post(url: URL, body: string, limitMs: number | undefined): ExchangeRequest {
    const own = { "content-type": "application/json", accept: "*/*", "accept-encoding": "identity" };
    return { method: "POST", url, headers: { ...this.#headers, ...own }, body, idleMs: IDLE_MS, limitMs };
  }
}

function foreignHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(lower.filter(([name]) => !OWN_HEADERS.has(name)));
}
