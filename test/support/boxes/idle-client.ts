/** A client of MCP on a WebSocket that has introduced itself and then says nothing. */
import { WebSocket } from "ws";
import type { BoxEvents } from "./box.ts";

const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "idle", version: "1" } },
});
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

export class IdleClient {
  readonly #socket: WebSocket;

  /** It offers compression, so that it is seen whether that is taken up. */
  constructor(url: string, events: BoxEvents, key?: string) {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    this.#socket = new WebSocket(url, { headers });
    this.#socket.on("open", () => this.#socket.send(INITIALIZE));
    this.#socket.once("message", () => {
      this.#socket.send(INITIALIZED);
      events.listed();
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => events.left());
  }

  get isCompressed(): boolean {
    return this.#socket.extensions !== "";
  }

  leave(): void {
    this.#socket.close(1000);
  }
}
