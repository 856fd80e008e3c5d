/** A client of Streamable HTTP in revision 2025-11-25: a session, its own stream, cancellation by word, an orderly end. */
import {
  ACCEPT,
  CAPABILITIES,
  CLIENT_INFO,
  type Fields,
  type McpClient,
  type Message,
  notificationText,
  REVISIONS,
  type RequestOptions,
  requestOf,
  requestText,
  type Sent,
} from "./client.ts";
import { HttpExchange } from "./http-exchange.ts";

export class SessionClient implements McpClient {
  readonly era = "2025";
  readonly unasked: Message[] = [];
  readonly #url: string;
  readonly #capabilities: Fields;
  readonly #open = new Set<HttpExchange>();
  #headers: Record<string, string> = { accept: ACCEPT };
  #lastId = 0;

  static async open(url: string, capabilities: Fields = CAPABILITIES): Promise<SessionClient> {
    const client = new SessionClient(url, capabilities);
    await client.#initialize();
    return client;
  }

  private constructor(url: string, capabilities: Fields) {
    this.#url = url;
    this.#capabilities = capabilities;
  }

  /** Opens the stream for what is said unasked. */
  async listen(): Promise<void> {
    const exchange = this.#begin("GET", undefined, (message) => this.unasked.push(message));
    const { status } = await exchange.head;
    if (status !== 200) throw new Error(`the session's stream was answered with ${status}`);
  }

  request(method: string, params: Fields, options?: RequestOptions): Sent {
    const id = ++this.#lastId;
    const heard: Message[] = [];
    const isOurs = (message: Message): boolean => requestOf(message) === id;
    const body = requestText(this.era, id, method, params, options);
    this.#begin("POST", body, (message) => (isOurs(message) ? heard : this.unasked).push(message));
    return { id, heard, cancel: () => this.#notify("notifications/cancelled", { requestId: id }) };
  }

  respond(id: Message["id"], result: Fields): void {
    this.#begin("POST", JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  /** Ends the session itself, with whatever is under way. */
  endSession(): void {
    this.#begin("DELETE");
  }

  leave(): void {
    for (const exchange of this.#open) exchange.hangUp();
  }

  async #initialize(): Promise<void> {
    const protocolVersion = REVISIONS["2025"];
    const params = { protocolVersion, capabilities: this.#capabilities, clientInfo: CLIENT_INFO };
    const { head, ended } = this.#begin("POST", requestText(this.era, ++this.#lastId, "initialize", params));
    const sessionId = (await head).headers["mcp-session-id"];
    if (typeof sessionId !== "string") throw new Error(`no session at ${this.#url}: ${(await head).status}`);
    await ended;
    this.#headers = { ...this.#headers, "mcp-session-id": sessionId, "mcp-protocol-version": protocolVersion };
    await this.#notify("notifications/initialized").ended;
  }

  #notify(method: string, params?: Fields): HttpExchange {
    return this.#begin("POST", notificationText(method, params));
  }

  #begin(method: "GET" | "POST" | "DELETE", body?: string, take: (message: Message) => void = () => {}): HttpExchange {
    const exchange = new HttpExchange({
      method,
      url: this.#url,
      headers: this.#headers,
      ...(body !== undefined && { body }),
      onData: (data) => take(JSON.parse(data) as Message),
    });
    this.#open.add(exchange);
    void exchange.ended.then(() => this.#open.delete(exchange));
    return exchange;
  }
}
