/**
 * The answer to one request of a stateless revision: plain JSON, unless something has to be said before it; then it is
 * an event stream that ends with the answer.
 */
import type { ZaguanError } from "../../errors.ts";
import { encodeError } from "../../protocol/json-rpc/message.ts";
import { stampResult } from "../../protocol/mcp/stamp.ts";
import type { Exchange } from "../door.ts";
import { acceptsEvents } from "../http/caller.ts";
import { EventStream } from "../http/event-stream.ts";
import { failureHeaders, JSON_TYPE } from "../http/exchange.ts";
import { errorResult } from "./failure.ts";
import { modernError, modernStatus } from "./modern-failure.ts";
import { SELF_META } from "./self.ts";

export class ModernReply {
  readonly #exchange: Exchange;
  readonly #id: string;
  #stream: EventStream | undefined;

  /** `id` is the text of the request's id. */
  constructor(exchange: Exchange, id: string) {
    this.#exchange = exchange;
    this.#id = id;
  }

  /** Left out where the caller cannot read a stream. */
  notify(message: string): void {
    if (!acceptsEvents(this.#exchange) || this.#exchange.response.destroyed) return;
    this.#stream ??= new EventStream(this.#exchange.response);
    this.#stream.send(message);
  }

  result(text: string): void {
    this.#send(200, `{"jsonrpc":"2.0","id":${this.#id},"result":${text}}`, JSON_TYPE);
  }

  /** By the method. */
  failure(error: ZaguanError): void {
    // The model is to see what was wrong with its arguments.
    if (error.code === "INVALID_ARGUMENT") {
      this.result(stampResult(errorResult(error, this.#exchange.language).text, SELF_META));
    } else this.#fail(modernStatus(error), error);
  }

  /** Before any method had its say. */
  refuse(error: ZaguanError): void {
    this.#fail(error.row.http, error);
  }

  #fail(status: number, error: ZaguanError): void {
    const body = encodeError(this.#id, modernError(error, this.#exchange.language));
    this.#send(status, body, failureHeaders(error));
  }

  #send(status: number, body: string, headers: Readonly<Record<string, string>>): void {
    if (this.#stream) {
      this.#stream.send(body);
      this.#stream.end();
    } else this.#exchange.reply(status, body, headers);
  }
}
