/** Reads the event stream of HTTP+SSE: an `endpoint` event says where to send, `message` events are what comes back. */
import type { IncomingHttpHeaders } from "node:http";
import { ZaguanError } from "../errors.ts";
import type { CutMessage } from "../protocol/framing/passed-over.ts";
import { type SseEvent, SseParser } from "../protocol/framing/sse.ts";
import { deliver } from "./deliver.ts";
import { mediaType, refuseEncoding } from "./http-body.ts";
import type { AnswerReader, Failure } from "./http-exchange.ts";
import { connectReason } from "./http-failures.ts";
import type { LinkHandlers } from "./link.ts";
import { refusedOpening, unopened } from "./link-failures.ts";

interface EndpointStreamOptions {
  /** What was asked for; the endpoint must be of the same origin. */
  readonly url: () => URL;
  readonly name: string;
  readonly maxBytes: number;
  readonly handlers: LinkHandlers;
  onEndpoint(endpoint: URL): void;
  /** Exactly once; the error's `reason` says in plain words why it is over. */
  onOver(error: ZaguanError): void;
}

const NO_STREAM = "it opened no event stream";
const NOISE_LENGTH = 200;

export class EndpointStream implements AnswerReader {
  readonly #options: EndpointStreamOptions;
  readonly #parser: SseParser;
  #hasEndpoint = false;

  constructor(options: EndpointStreamOptions) {
    this.#options = options;
    const onTooLarge = (message: CutMessage): void => options.handlers.onTooLarge?.(message);
    this.#parser = new SseParser(options.maxBytes, (event) => this.#take(event), undefined, onTooLarge);
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    const { name } = this.#options;
    if (status !== 200) throw refusedOpening(name, status, headers, NO_STREAM);
    refuseEncoding(headers, name);
    if (mediaType(headers) !== "text/event-stream") throw unopened(name, NO_STREAM);
  }

  onData(chunk: Uint8Array): void {
    this.#parser.push(chunk);
  }

  onEnd(failure: Failure | undefined): void {
    const { name, onOver } = this.#options;
    onOver(refusalOf(failure?.cause) ?? unopened(name, this.#reason(failure), failure?.cause));
  }

  #take({ type, data }: SseEvent): void {
    const { handlers } = this.#options;
    if (type === "message") deliver(data, handlers);
    else if (type !== "endpoint") return;
    // Where to send was settled by the first; a server that changes its mind in mid-stream is not followed.
    else if (this.#hasEndpoint) handlers.onNoise?.(`another endpoint: ${data.slice(0, NOISE_LENGTH)}`);
    else this.#takeEndpoint(data.trim());
  }

  /** A message to another origin would carry our headers, and the house's words, to whoever is there. */
  #takeEndpoint(text: string): void {
    const { name, onEndpoint } = this.#options;
    const url = this.#options.url();
    const endpoint = text === "" ? null : URL.parse(text, url.href);
    if (!endpoint) throw unopened(name, "its endpoint is no URL");
    if (endpoint.origin !== url.origin) throw unopened(name, "its endpoint is of another origin", new Error(text));
    this.#hasEndpoint = true;
    onEndpoint(endpoint);
  }

  #reason(failure: Failure | undefined): string {
    const limit = `an event of far more than ${this.#options.maxBytes} bytes`;
    if (failure && !failure.written) return connectReason(failure.cause);
    if (failure?.cause instanceof ZaguanError) return String(failure.cause.details.params?.["reason"] ?? limit);
    const end = failure ? "the stream broke off" : "the server ended the stream";
    return this.#hasEndpoint ? end : `${end} before it said where to send`;
  }
}

/** What already says that nothing could be opened, and why, stays as it is. */
function refusalOf(cause: unknown): ZaguanError | undefined {
  const isRefusal = cause instanceof ZaguanError && cause.delivery === "not_sent";
  return isRefusal ? cause : undefined;
}
