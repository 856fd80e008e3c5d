/**
 * The two kinds of answers of HTTP+SSE: the event stream, in which an `endpoint` event says where to send and `message` events
 * are what comes back, and the answer to each message that is POSTed to that endpoint.
 */
import type { IncomingHttpHeaders } from "node:http";
import { ZaguanError } from "../errors.ts";
import type { CutMessage } from "../protocol/framing/passed-over.ts";
import { type SseEvent, SseParser } from "../protocol/framing/sse.ts";
import { mediaType, refuseEncoding } from "./http-body.ts";
import type { AnswerReader, Cuttable, Failure } from "./http-exchange.ts";
import { connectReason, Enough, refusedOpening, unavailable } from "./http-failures.ts";
import { deliver, type LinkHandlers } from "./link.ts";
import { PostAnswer } from "./post-answer.ts";

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
    if (mediaType(headers) !== "text/event-stream") throw unavailable(name, NO_STREAM);
  }

  onData(chunk: Uint8Array): void {
    this.#parser.push(chunk);
  }

  onEnd(failure: Failure | undefined): void {
    const { name, onOver } = this.#options;
    onOver(refusalOf(failure?.cause) ?? unavailable(name, this.#reason(failure), failure?.cause));
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
    if (!endpoint) throw unavailable(name, "its endpoint is no URL");
    if (endpoint.origin !== url.origin) throw unavailable(name, "its endpoint is of another origin", new Error(text));
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

interface PostedMessageOptions {
  readonly name: string;
  readonly maxBytes: number;
  readonly handlers: LinkHandlers;
  /** The message itself. */
  readonly sent: string;
}

/** An answer that ends by itself leaves a connection that can be used again. */
const LINGER_MS = 1000;

/**
 * One message POSTed to an endpoint whose answers come over the stream. Any 2xx accepts it, with whatever decoration in its
 * body; but some servers answer right there, so JSON in it is taken for messages.
 */
export class PostedMessage implements AnswerReader {
  readonly #answer: PostAnswer;
  readonly #over = Promise.withResolvers<ZaguanError | undefined>();
  #carriesMessages = false;
  #surplus: NodeJS.Timeout | undefined;

  constructor(options: PostedMessageOptions) {
    const { name, maxBytes, handlers, sent } = options;
    const posted = { message: sent, opensSession: false, session: undefined, isStateless: false, signal: undefined };
    this.#answer = new PostAnswer(posted, {
      name,
      maxBytes,
      onNoise: ignore,
      onAccepted: ignore,
      onRefused: ignore,
      onMessage: (text) => holdsObject(text) && handlers.onMessage(text),
      isAnswered: () => false,
      onOver: (_posted, error) => this.#over.resolve(error),
    });
  }

  /** Resolves with the head of a good answer, or with the end of one that carries messages; rejects with a ZaguanError. */
  async accepted(): Promise<void> {
    await this.#answer.acceptance;
    const error = this.#carriesMessages ? await this.#over.promise : undefined;
    if (error) throw error;
  }

  onHead(status: number, headers: IncomingHttpHeaders, exchange: Cuttable): void {
    this.#carriesMessages = status < 300 && mediaType(headers) === "application/json";
    if (status >= 300) this.#answer.onHead(status, headers);
    else if (this.#carriesMessages) this.#answer.onHead(200, headers);
    else {
      this.#surplus = setTimeout(() => exchange.cut(new Enough("accepted")), LINGER_MS);
      this.#answer.onHead(202, {});
    }
  }

  onData(chunk: Uint8Array, exchange: Cuttable): void {
    this.#answer.onData(chunk, exchange);
  }

  onEnd(failure: Failure | undefined): void {
    clearTimeout(this.#surplus);
    this.#answer.onEnd(failure);
  }
}

function ignore(): void {}

/** `"Accepted"`, `null` and `{}` are courtesies, not messages. */
function holdsObject(text: string): boolean {
  return /^\s*\{\s*[^\s}]/.test(text);
}
