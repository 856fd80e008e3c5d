/** How one request over HTTP is answered: in a session, or without one. */
import { afterAbout } from "../../coarse-timer.ts";
import type { ZaguanError } from "../../errors.ts";
import type { Exchange } from "../door.ts";
import { acceptsEvents, EventStream } from "../http/event-stream.ts";
import { failureHeaders } from "../http/exchange.ts";
import type { ResumableStream } from "./resumable-stream.ts";
import type { SessionStreams } from "./session-streams.ts";

/** So long a session's client waits for plain JSON; then it is a stream, by which proxies see that somebody is at work. */
const AT_ONCE_MS = 1_000;

/** Plain JSON if it comes at once, else an event stream that can be taken up again. */
export class SessionReply {
  readonly #exchange: Exchange;
  readonly #streams: SessionStreams;
  readonly #request: string;
  readonly #stopWaiting: (() => void) | undefined;
  #stream: ResumableStream | undefined;

  /** @param request the id of what is answered, as JSON */
  constructor(exchange: Exchange, streams: SessionStreams, request: string) {
    this.#exchange = exchange;
    this.#streams = streams;
    this.#request = request;
    if (acceptsEvents(exchange)) this.#stopWaiting = afterAbout(AT_ONCE_MS, () => void this.#begin());
  }

  /** Says something before the answer; false if there is no way, or no longer one. */
  readonly notify = (message: string): boolean => this.#begin()?.send(message) ?? false;

  /** Whether the answer is plain JSON; it will not become a stream any more. */
  get isPlain(): boolean {
    this.#stopWaiting?.();
    return this.#stream === undefined;
  }

  finish(answer: string): void {
    this.#stopWaiting?.();
    this.#stream?.send(answer);
    this.#stream?.finish();
    if (!this.#stream) this.#exchange.reply(200, answer);
  }

  #begin(): ResumableStream | undefined {
    const { response } = this.#exchange;
    const isPossible = acceptsEvents(this.#exchange) && !response.destroyed && !response.headersSent;
    if (isPossible) this.#stream ??= this.#streams.begin(response, this.#request);
    return this.#stream;
  }
}

/** Plain JSON, unless something has to be said before it; then an event stream that ends with the answer. Nothing of it is kept. */
export class BareReply {
  readonly #exchange: Exchange;
  #stream: EventStream | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Left out where the caller cannot read a stream. */
  readonly notify = (message: string): boolean => {
    const { response } = this.#exchange;
    const isPossible = acceptsEvents(this.#exchange) && !response.destroyed && !response.headersSent;
    if (isPossible) this.#stream ??= new EventStream(response);
    this.#stream?.send(message);
    return this.#stream !== undefined;
  };

  /** Whether the answer would be plain JSON. */
  get isPlain(): boolean {
    return this.#stream === undefined;
  }

  finish(answer: string, error: ZaguanError | undefined, status: number = error?.row.http ?? 200): void {
    this.#stream?.send(answer);
    this.#stream?.end();
    if (this.#stream) return;
    if (error) this.#exchange.reply(status, answer, failureHeaders(error));
    else this.#exchange.reply(status, answer);
  }
}
