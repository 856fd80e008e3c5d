/** Writes the answer of a REST endpoint. */
import type { Exchange } from "../door.ts";
import { JSON_TYPE } from "../http/exchange.ts";
import type { RestAnswer } from "./route.ts";

export function send(exchange: Exchange, answer: RestAnswer): void {
  if (answer.status === 304) sendUnchanged(exchange, answer);
  else exchange.reply(answer.status, textOf(answer), headersOf(answer));
}

function headersOf({ headers, body, text }: RestAnswer): Readonly<Record<string, string>> {
  if (body === undefined && text === undefined) return headers ?? {};
  return headers ? { ...JSON_TYPE, ...headers } : JSON_TYPE;
}

function textOf({ body, text }: RestAnswer): string {
  return text ?? (body === undefined ? "" : JSON.stringify(body));
}

/** Not by `reply`: it tells the length of the body that it sends, here of one that it does not send. */
function sendUnchanged({ response }: Exchange, { headers }: RestAnswer): void {
  if (!response.headersSent && !response.destroyed) response.writeHead(304, { ...headers }).end();
}
