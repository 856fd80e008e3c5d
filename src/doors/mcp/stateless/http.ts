/** Carries the stateless revisions over HTTP. Whoever hangs up has cancelled. */
import { ZaguanError } from "../../../errors.ts";
import type { RpcCall, RpcMessage } from "../../../protocol/json-rpc/message.ts";
import type { Era } from "../../../protocol/mcp/classify.ts";
import type { Exchange } from "../../door.ts";
import { acceptsEvents } from "../../http/event-stream.ts";
import { failureHeaders } from "../../http/exchange.ts";
import { BareReply } from "../http-replies.ts";
import type { McpTarget, RpcRequest } from "../target.ts";
import type { StatelessCodec } from "./codec.ts";
import { modernStatus } from "./failure.ts";

/** Answers what is not of the handshake era; never rejects. */
export async function answerStateless(
  exchange: Exchange,
  message: RpcMessage,
  era: Exclude<Era, { era: "handshake" }>,
  codec: StatelessCodec,
  find: () => McpTarget,
): Promise<void> {
  const { principal, language } = exchange;
  /** Before any method had its say. */
  const refuse = (id: string, error: ZaguanError): void =>
    exchange.reply(error.row.http, codec.failed(id, error, language).text, failureHeaders(error));
  if (era.era === "reject") return refuse(message.id ?? "null", era.error);
  if (!isRequest(era.call)) return exchange.reply(202, "");
  const isListen = era.call.method === "subscriptions/listen";
  if (isListen && !acceptsEvents(exchange)) return refuse(era.call.id, noStream());
  const reply = new BareReply(exchange);
  const header = (name: string): string | undefined => exchange.header(name);
  const context = { principal, language, signal: exchange.left, notify: reply.notify, header };
  const { text, error } = await codec.answer(find, era.call, context);
  reply.finish(text, error, error && modernStatus(error));
}

/** Nothing that it listens for could ever be told. */
function noStream(): ZaguanError {
  return new ZaguanError("BAD_REQUEST", { params: { reason: "'Accept' must list text/event-stream" } });
}

function isRequest(call: RpcCall): call is RpcRequest {
  return call.id !== undefined;
}
