/**
 * A place on the web that is asked now and then: one request, one whole answer of a bounded size, through the guard against
 * private addresses. Nothing is opened before the first request. What a status means is for the asker to say.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { ZaguanError } from "../errors.ts";
import { makeOutbound, type Outbound } from "../security/outbound.ts";
import type { StopSignal } from "../stop.ts";
import { refuseEncoding, TextBody } from "./http-body.ts";
import { type AnswerReader, type Failure, targetOf } from "./http-exchange.ts";
import { HttpExchanges } from "./http-exchanges.ts";
import { Enough, explainFailure, sourceError, unavailable } from "./http-failures.ts";
import { flat, type HeaderRecord } from "./http-headers.ts";
import { Reachability } from "./http-reachability.ts";

export interface HttpSiteOptions {
  /** What every path is put behind. */
  readonly url: string;
  /** Sent with every request. */
  readonly headers: HeaderRecord;
  readonly allowPrivate: boolean;
  /** The source's name, for error texts. */
  readonly name: string;
  /** Of one answer. */
  readonly maxBytes: number;
}

export interface SiteRequest {
  readonly method: "GET" | "POST";
  /** With its query, beginning with a slash. */
  readonly path: string;
  /** JSON. */
  readonly body?: string | undefined;
  readonly limitMs: number;
  readonly signal?: StopSignal | undefined;
}

export interface SiteAnswer {
  readonly status: number;
  readonly text: string;
}

const IDLE_MS = 30_000;
const COMMON: HeaderRecord = { accept: "application/json", "accept-encoding": "identity" };
const WITH_BODY: HeaderRecord = { ...COMMON, "content-type": "application/json" };

export class HttpSite {
  readonly #options: HttpSiteOptions;
  #outbound: Promise<Outbound> | undefined;
  #exchanges: HttpExchanges | undefined;
  #isClosed = false;

  constructor(options: HttpSiteOptions) {
    this.#options = options;
  }

  /** Rejects with a ZaguanError that says what is known of the delivery. */
  async request(request: SiteRequest): Promise<SiteAnswer> {
    const { name, url, headers, maxBytes } = this.#options;
    const exchanges = await this.#open();
    const { method, path, body, limitMs, signal } = request;
    const all = flat({ ...headers, ...(body === undefined ? COMMON : WITH_BODY) });
    return new Promise((resolve, reject) => {
      const target = targetOf(new URL(`${url}${path}`));
      const reader = new WholeAnswer(name, maxBytes, resolve, reject);
      exchanges.run({ method, target, headers: all, body, isEndless: false, limitMs }, reader, signal);
    });
  }

  /** Cuts what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#exchanges?.cutAll(new Enough("closed"));
    await (await this.#outbound)?.close();
  }

  async #open(): Promise<HttpExchanges> {
    const { allowPrivate, url, name } = this.#options;
    this.#outbound ??= makeOutbound({ allowPrivate });
    const outbound = await this.#outbound;
    if (this.#isClosed) throw unavailable(name, "closed");
    outbound.check(url);
    this.#exchanges ??= new HttpExchanges(outbound.to(new URL(url).origin), new Reachability(() => {}), IDLE_MS);
    return this.#exchanges;
  }
}

class WholeAnswer implements AnswerReader {
  readonly #name: string;
  readonly #maxBytes: number;
  readonly #resolve: (answer: SiteAnswer) => void;
  readonly #reject: (error: ZaguanError) => void;
  #status = 0;
  #body: TextBody | undefined;

  constructor(name: string, maxBytes: number, resolve: (answer: SiteAnswer) => void, reject: (e: ZaguanError) => void) {
    this.#name = name;
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    refuseEncoding(headers, this.#name);
    this.#status = status;
    this.#body = new TextBody(headers, this.#maxBytes);
  }

  onData(chunk: Uint8Array): void {
    this.#body?.push(chunk);
  }

  onEnd(failure: Failure | undefined): void {
    const text = failure ? undefined : this.#body?.text();
    if (failure) this.#reject(explainFailure(failure, this.#name));
    else if (text === undefined) this.#reject(sourceError(this.#name, "an answer that is no text"));
    else this.#resolve({ status: this.#status, text });
  }
}
