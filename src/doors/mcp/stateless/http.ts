/**
 * Carries the stateless revisions over HTTP: the answer is plain JSON unless something has to be said before it; then it is
 * an event stream that ends with the answer. Whoever hangs up has cancelled.
 */
import { ZaguanError } from "../../../errors.ts";
import type { RpcCall, RpcMessage } from "../../../protocol/json-rpc/message.ts";
import type { Era } from "../../../protocol/mcp/classify.ts";
import type { Exchange } from "../../door.ts";
import { acceptsEvents } from "../../http/caller.ts";
import { EventStream } from "../../http/event-stream.ts";
import { failureHeaders } from "../../http/exchange.ts";
import type { StatelessFace, StatelessRequest } from "./face.ts";
import { modernStatus } from "./failure.ts";
import { failed, outcomeOf } from "./outcome.ts";

/** Answers what is not of the handshake era; never rejects. */
export async function answerStateless(
  exchange: Exchange,
  message: RpcMessage,
  era: Exclude<Era, { era: "handshake" }>,
  face: () => StatelessFace,
  report: (cause: unknown) => string,
): Promise<void> {
  if (era.era === "reject") return refuse(exchange, message.id ?? "null", era.error);
  if (!isRequest(era.call)) return exchange.reply(202, "");
  const isListen = era.call.method === "subscriptions/listen";
  if (isListen && !acceptsEvents(exchange)) return refuse(exchange, era.call.id, noStream());
  const reply = new Reply(exchange);
  const { principal, language } = exchange;
  const context = {
    ...{ principal, language, signal: exchange.left },
    notify: (text: string) => reply.notify(text),
    header: (name: string) => exchange.header(name),
  };
  const { text, error } = await outcomeOf(face, era.call, context, report);
  if (error) reply.send(modernStatus(error), text, failureHeaders(error));
  else reply.send(200, text);
}

class Reply {
  readonly #exchange: Exchange;
  #stream: EventStream | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Left out where the caller cannot read a stream. */
  notify(message: string): void {
    if (!acceptsEvents(this.#exchange) || this.#exchange.response.destroyed) return;
    this.#stream ??= new EventStream(this.#exchange.response);
    this.#stream.send(message);
  }

  send(status: number, body: string, headers?: Readonly<Record<string, string>>): void {
    if (this.#stream) {
      this.#stream.send(body);
      this.#stream.end();
    } else this.#exchange.reply(status, body, headers);
  }
}

/** Before any method had its say. */
function refuse(exchange: Exchange, id: string, error: ZaguanError): void {
  exchange.reply(error.row.http, failed(id, error, exchange).text, failureHeaders(error));
}

/** Nothing that it listens for could ever be told. */
function noStream(): ZaguanError {
  return new ZaguanError("BAD_REQUEST", { params: { reason: "'Accept' must list text/event-stream" } });
}

function isRequest(call: RpcCall): call is StatelessRequest {
  return call.id !== undefined;
}
