/**
 * Requests to wherever their URLs point, each with its whole answer, through the guard against private addresses.
 * Redirects are followed by hand, so that every hop is checked, and with nothing of ours once they lead to another origin.
 */
import type { IncomingHttpHeaders } from "node:http";
import { isAddressRefusal, toZaguanError, withDelivery, ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { makeOutbound, type Outbound, type OutboundOptions, type Outgoing } from "../security/outbound.ts";
import { decodeBody, HttpCallExchange } from "./http-call-exchange.ts";
import type { Failure } from "./http-exchange.ts";
import { Enough, explainFailure, unavailable } from "./http-failures.ts";
import type { HeaderRecord } from "./http-headers.ts";
import { nextHop } from "./http-redirect.ts";

export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "TRACE";
  readonly url: string;
  /** Names in lower case. */
  readonly headers: HeaderRecord;
  readonly body?: string | Uint8Array | undefined;
  /** Whether redirects are followed; one that is not followed is an answer like any other. */
  readonly follow: boolean;
  /** The most of an answer that is read; a longer one is cut. */
  readonly maxBytes: number;
  /** The time limit for all hops together. */
  readonly limitMs: number;
  readonly signal?: CancelSignal | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
  /** True where there was more of it than was read. */
  readonly isCut: boolean;
}

interface HttpCallerOptions {
  /** The source's name, for error texts. */
  readonly name: string;
  readonly allowPrivate: boolean;
  /** Origins that may be private addresses though others may not. */
  readonly privateOrigins?: ReadonlySet<string> | undefined;
  /** In place of the usual way out, for tests. */
  readonly open?: (options: OutboundOptions) => Promise<Outbound>;
}

const MOST_REDIRECTS = 5;
/** Idempotent methods: after a lost connection they can be sent again, so that the outcome need not be called unknown. */
const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT"]);

export function isRepeatable(method: string): boolean {
  return REPEATABLE.has(method);
}

export class HttpCaller {
  readonly #options: HttpCallerOptions;
  readonly #pools = new Map<string, Outgoing>();
  readonly #running = new Set<HttpCallExchange>();
  /** By whether they may lead to private addresses. */
  readonly #outbounds = new Map<boolean, Promise<Outbound>>();
  #isClosed = false;

  constructor(options: HttpCallerOptions) {
    this.#options = options;
  }

  /** Rejects with a ZaguanError that says what is known of the delivery. */
  async call(request: HttpRequest): Promise<HttpReply> {
    const endsAt = performance.now() + request.limitMs;
    let hop = request;
    for (let hops = 0; ; hops++) {
      const reply = await this.#hop(hop, hops > 0).catch((cause) => {
        throw hops > 0 ? afterRedirect(cause) : cause;
      });
      const next = request.follow ? nextHop(hop, reply) : undefined;
      if (!next) return decodeBody(reply, request.maxBytes, this.#options.name);
      if (hops === MOST_REDIRECTS) throw this.#executed(`more than ${MOST_REDIRECTS} redirects`);
      hop = { ...next, limitMs: Math.max(1, endsAt - performance.now()) };
    }
  }

  /** Cuts all calls under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const exchange of this.#running) exchange.cut(new Enough("closed"));
    await Promise.all([...this.#outbounds.values()].map(async (outbound) => (await outbound).close()));
  }

  /** Where a redirect leads is somebody else's choice, so that nothing of it is kept. */
  async #hop(request: HttpRequest, isRedirected: boolean): Promise<HttpReply> {
    const { name, open = makeOutbound } = this.#options;
    const origin = URL.parse(request.url)?.origin ?? "";
    const allowPrivate = this.#mayBePrivate(origin);
    const outbound = await this.#outbound(allowPrivate);
    if (this.#isClosed) throw unavailable(name, "closed");
    outbound.check(request.url);
    const kept = this.#pools.get(origin) ?? (isRedirected ? undefined : this.#keep(outbound, origin));
    if (kept) return this.#send(request, kept);
    const passing = await open({ allowPrivate });
    return this.#send(request, passing.to(origin)).finally(() => passing.close());
  }

  #mayBePrivate(origin: string): boolean {
    return this.#options.allowPrivate || this.#options.privateOrigins?.has(origin) === true;
  }

  #outbound(allowPrivate: boolean): Promise<Outbound> {
    const { open = makeOutbound } = this.#options;
    const outbound = this.#outbounds.get(allowPrivate) ?? open({ allowPrivate });
    this.#outbounds.set(allowPrivate, outbound);
    return outbound;
  }

  #keep(outbound: Outbound, origin: string): Outgoing {
    const pool = outbound.to(origin);
    this.#pools.set(origin, pool);
    return pool;
  }

  #send(request: HttpRequest, dispatcher: Outgoing): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      const exchange = new HttpCallExchange(request, (reply, failure) => {
        this.#running.delete(exchange);
        if (reply) resolve(reply);
        else reject(this.#explain(request, failure as Failure));
      });
      this.#running.add(exchange);
      exchange.start(dispatcher);
    });
  }

  /** Why it was stopped is for whoever stopped it to say. */
  #explain({ method, signal }: HttpRequest, failure: Failure): ZaguanError {
    const error = explainFailure(failure, this.#options.name);
    if (signal?.aborted) return withDelivery(toZaguanError(signal.reason), error.delivery);
    if (error.code !== "OUTCOME_UNKNOWN" || !REPEATABLE.has(method)) return error;
    const params = { source: this.#options.name, reason: "the connection was lost before its answer was complete" };
    return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "unknown", cause: failure.cause });
  }

  #executed(reason: string): ZaguanError {
    return new ZaguanError("SOURCE_ERROR", { params: { source: this.#options.name, reason }, delivery: "executed" });
  }
}

/** The first request was answered: a refusal of ours came after it, and anything else leaves open what it did. */
function afterRedirect(cause: unknown): ZaguanError {
  const error = toZaguanError(cause);
  if (isAddressRefusal(error)) return withDelivery(error, "executed");
  return error.delivery === "not_sent" ? withDelivery(error, "unknown") : error;
}
