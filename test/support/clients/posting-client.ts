/**
 * Clients for whom every request is an HTTP exchange of its own and hanging up is the word for cancelling: those of
 * revision 2026-07-28, and bare JSON-RPC without a session.
 */
import {
  ACCEPT,
  type Era,
  type Fields,
  type McpClient,
  type Message,
  REVISIONS,
  type RequestOptions,
  requestText,
  type Sent,
} from "./client.ts";
import { HttpExchange } from "./http-exchange.ts";

export class PostingClient implements McpClient {
  readonly era: Era;
  readonly unasked: readonly Message[] = [];
  readonly #url: string;
  readonly #open = new Set<HttpExchange>();
  #lastId = 0;

  constructor(era: Era, url: string) {
    this.era = era;
    this.#url = url;
  }

  request(method: string, params: Fields, options?: RequestOptions): Sent {
    const id = ++this.#lastId;
    const heard: Message[] = [];
    const exchange = new HttpExchange({
      method: "POST",
      url: this.#url,
      headers: { accept: ACCEPT, ...(this.era === "2026" && modernHeaders(method, params)) },
      body: requestText(this.era, id, method, params, options),
      onData: (data) => heard.push(JSON.parse(data) as Message),
    });
    this.#open.add(exchange);
    void exchange.ended.then(() => this.#open.delete(exchange));
    return { id, heard, cancel: () => exchange.hangUp() };
  }

  /** Nobody asks such a client anything but by a result. */
  respond(): void {
    throw new Error("a client without a session cannot answer");
  }

  leave(): void {
    for (const exchange of this.#open) exchange.hangUp();
  }
}

function modernHeaders(method: string, { name, uri }: Fields): Record<string, string> {
  const named = name ?? uri;
  return {
    "mcp-protocol-version": REVISIONS["2026"],
    "mcp-method": method,
    ...(named !== undefined && { "mcp-name": String(named) }),
  };
}
