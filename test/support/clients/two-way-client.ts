/** A client on a carrier that takes messages both ways (WebSocket, HTTP+SSE, stdio), in either era. */
import type { Carrier, OpenCarrier } from "./carriers.ts";
import {
  answerTo,
  CAPABILITIES,
  CLIENT_INFO,
  type Era,
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

export class TwoWayClient implements McpClient {
  readonly era: Era;
  readonly unasked: Message[] = [];
  readonly #carrier: Carrier;
  readonly #heard = new Map<unknown, Message[]>();
  #lastId = 0;

  /** With the handshake, in the era that has one. */
  static async open(era: Era, openCarrier: OpenCarrier): Promise<TwoWayClient> {
    const carrier = await openCarrier((text) => client.#take(JSON.parse(text) as Message));
    const client = new TwoWayClient(era, carrier);
    if (era === "2025") await client.#initialize();
    return client;
  }

  private constructor(era: Era, carrier: Carrier) {
    this.era = era;
    this.#carrier = carrier;
  }

  request(method: string, params: Fields, options?: RequestOptions): Sent {
    const id = ++this.#lastId;
    const heard: Message[] = [];
    this.#heard.set(id, heard);
    this.#carrier.send(requestText(this.era, id, method, params, options));
    return { id, heard, cancel: () => this.#notify("notifications/cancelled", { requestId: id }) };
  }

  respond(id: Message["id"], result: Fields): void {
    this.#carrier.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  leave(): void {
    this.#carrier.leave();
  }

  async #initialize(): Promise<void> {
    const params = { protocolVersion: REVISIONS["2025"], capabilities: CAPABILITIES, clientInfo: CLIENT_INFO };
    await answerTo(this.request("initialize", params));
    this.#notify("notifications/initialized");
  }

  #notify(method: string, params?: Fields): void {
    this.#carrier.send(notificationText(method, params));
  }

  #take(message: Message): void {
    (this.#heard.get(requestOf(message)) ?? this.unasked).push(message);
  }
}
