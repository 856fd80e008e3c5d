/**
 * The answer to one request of a session: plain JSON if it comes at once, else an event stream that can be taken up again
 * and by which proxies see that somebody is at work.
 */
import { afterAbout } from "../../coarse-timer.ts";
import type { Exchange } from "../door.ts";
import { acceptsEvents } from "../http/caller.ts";
import type { ResumableStream } from "./resumable-stream.ts";
import type { SessionStreams } from "./session-streams.ts";

const AT_ONCE_MS = 1_000;

export class SessionReply {
  readonly #exchange: Exchange;
  readonly #streams: SessionStreams;
  readonly #stopWaiting: (() => void) | undefined;
  #stream: ResumableStream | undefined;

  constructor(exchange: Exchange, streams: SessionStreams) {
    this.#exchange = exchange;
    this.#streams = streams;
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
    if (isPossible) this.#stream ??= this.#streams.begin(response);
    return this.#stream;
  }
}
