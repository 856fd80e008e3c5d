/**
 * The client's side of HTTP+SSE (revision 2024-11-05) as a pipe for whole JSON-RPC texts. The session is the stream: it
 * cannot be taken up again, so when it ends the link does. It follows redirects to another path of the same origin, asks
 * for no compression and never sends a message twice.
 */
import type { ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { makeOutbound, type Outbound } from "../security/outbound.ts";
import { CLOSED, type Ending, lost, unfit } from "./ending.ts";
import { type ExchangeRequest, type Target, targetOf } from "./http-exchange.ts";
import { HttpExchanges, Reachability } from "./http-exchanges.ts";
import { givenUp, unavailable } from "./http-failures.ts";
import { configuredHeaders, flat, type HeaderRecord } from "./http-headers.ts";
import { EndpointStream, PostedMessage } from "./http-sse-readers.ts";
import { FLOODED, Intake } from "./intake.ts";
import type { Link, LinkHandlers } from "./link.ts";
import type { StreamableHttpOptions } from "./streamable-http.ts";

export interface HttpSseOptions extends Omit<StreamableHttpOptions, "idleMs"> {
  /** Gives up opening; after that it means nothing. */
  readonly signal?: CancelSignal | undefined;
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

class HttpSse implements Link {
  readonly #options: HttpSseOptions;
  readonly #handlers: LinkHandlers;
  readonly #intake: Intake;
  readonly #outbound: Outbound;
  /** Where the stream is, which is where the server sent us if it did. */
  #url: URL;
  readonly #headers: HeaderRecord;
  readonly #exchanges: HttpExchanges;
  readonly #opening = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<Ending>();
  /** Where to send, while there is a stream to answer on. */
  #target: Target | undefined;
  #end = CLOSED;
  #isClosing = false;
  #closing: Promise<void> | undefined;

  constructor(options: HttpSseOptions, handlers: LinkHandlers, outbound: Outbound) {
    this.#options = options;
    this.#handlers = { ...handlers, onMessage: (message) => this.#intake.take(message) };
    this.#intake = new Intake({
      deliver: handlers.onMessage,
      pause: () => this.#exchanges.pause(),
      resume: () => this.#exchanges.resume(),
      onFlood: () => this.#over(unfit(FLOODED)),
    });
    this.#outbound = outbound;
    this.#url = new URL(options.url);
    this.#headers = configuredHeaders(options.headers);
    const reachability = new Reachability((reason) => this.#over(lost(reason)));
    this.#exchanges = new HttpExchanges(outbound.to(this.#url.origin), reachability, IDLE_MS);
  }

  get closed(): Promise<Ending> {
    return this.#gone.promise;
  }

  async open(signal: CancelSignal | undefined): Promise<void> {
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

  async send(message: string, signal?: CancelSignal): Promise<void> {
    if (!this.#target) throw unavailable(this.#options.name, this.#end.reason);
    if (signal?.aborted) throw givenUp(signal);
    const { name, maxBytes, unaskedMs = UNASKED_MS } = this.#options;
    const posted = new PostedMessage({ name, maxBytes, handlers: this.#handlers, sent: message });
    this.#exchanges.run(this.#post(this.#target, message, signal ? undefined : unaskedMs), posted, signal);
    await posted.accepted();
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  #stream(): EndpointStream {
    const { name, maxBytes } = this.#options;
    return new EndpointStream({
      url: () => this.#url,
      name,
      maxBytes,
      handlers: this.#handlers,
      onEndpoint: (endpoint) => {
        this.#target = targetOf(endpoint);
        this.#opening.resolve();
      },
      onOver: (error) => this.#streamOver(error),
    });
  }

  #streamOver(error: ZaguanError): void {
    this.#opening.reject(error);
    this.#over(lost(String(error.details.params?.["reason"] ?? error.code)));
  }

  /** What was posted before may still be accepted or refused; each message learns that from its own exchange. */
  #over(ending: Ending): void {
    if (this.#isClosing) return;
    this.#intake.end();
    this.#target = undefined;
    this.#end = ending;
    this.#gone.resolve(ending);
  }

  async #shutDown(): Promise<void> {
    this.#isClosing = true;
    this.#target = undefined;
    this.#exchanges.cutAll(new Error("closed"));
    await this.#outbound.close();
    this.#gone.resolve(CLOSED);
  }

  #get(): ExchangeRequest {
    const headers = flat({ ...this.#headers, accept: "text/event-stream", "accept-encoding": "identity" });
    const onMoved = ({ origin, path }: Target): void => {
      this.#url = new URL(`${origin}${path}`);
    };
    return { method: "GET", target: targetOf(this.#url), headers, isEndless: true, onMoved };
  }

  #post(target: Target, body: string, limitMs: number | undefined): ExchangeRequest {
    const own = { "content-type": "application/json", accept: "*/*", "accept-encoding": "identity" };
    return { method: "POST", target, headers: flat({ ...this.#headers, ...own }), body, isEndless: false, limitMs };
  }
}
