/** A raw client of revision 2025-11-25: a handshake, a session, a stream for what the server asks on its own. */
import {
  answerTo,
  CAPABILITIES,
  CLIENT_INFO,
  type DoorClient,
  type Json,
  type Message,
  messagesOf,
  POST_HEADERS,
  resultOf,
} from "./client.ts";

const REVISION = "2025-11-25";

export async function connectWithSession(url: string): Promise<DoorClient> {
  const client = new SessionClient(url);
  await client.greet();
  return client;
}

class SessionClient implements DoorClient {
  readonly #url: string;
  readonly #closing = new AbortController();
  #session: Record<string, string> = {};
  #ids = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async greet(): Promise<void> {
    const params = { protocolVersion: REVISION, capabilities: CAPABILITIES, clientInfo: CLIENT_INFO };
    const response = await this.#post({ id: ++this.#ids, method: "initialize", params });
    for await (const message of messagesOf(response)) resultOf("initialize", message);
    const id = response.headers.get("mcp-session-id");
    this.#session = { "mcp-protocol-version": REVISION, ...(id && { "mcp-session-id": id }) };
    await this.#post({ method: "notifications/initialized" });
    void this.#listen();
  }

  async request(method: string, params: Json = {}): Promise<Json> {
    const id = ++this.#ids;
    for await (const message of messagesOf(await this.#post({ id, method, params }))) {
      if (message.method !== undefined) await this.#answer(message);
      else if (message.id === id) return resultOf(method, message);
    }
    throw new Error(`${method} was not answered`);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await fetch(this.#url, { method: "DELETE", headers: this.#session });
  }

  /** Until the client is closed; a server that has no such stream is left alone. */
  async #listen(): Promise<void> {
    const headers = { accept: "text/event-stream", ...this.#session };
    try {
      const response = await fetch(this.#url, { headers, signal: this.#closing.signal });
      if (response.ok) for await (const message of messagesOf(response)) await this.#answer(message);
    } catch (cause) {
      if (!this.#closing.signal.aborted) throw cause;
    }
  }

  async #answer({ id, method, params }: Message): Promise<void> {
    if (method === undefined || id === undefined) return;
    await this.#post({ id, result: answerTo(method, params) });
  }

  #post(message: object): Promise<Response> {
    const headers = { ...POST_HEADERS, ...this.#session };
    return fetch(this.#url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  }
}
