/**
 * The answer to one request without a session: plain JSON, unless something has to be said before it; then it is an event
 * stream that ends with the answer. Nothing of it is kept.
 */
import type { ZaguanError } from "../../errors.ts";
import type { Exchange } from "../door.ts";
import { acceptsEvents } from "../http/caller.ts";
import { EventStream } from "../http/event-stream.ts";
import { failureHeaders } from "../http/exchange.ts";

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
