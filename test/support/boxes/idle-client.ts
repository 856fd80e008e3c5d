/** A client of MCP on a WebSocket that has introduced itself and then says nothing. */
import { type BoxEvents, bearer, Dialled } from "./box.ts";

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "idle", version: "1" } },
});
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

export class IdleClient extends Dialled {
  constructor(url: string, events: BoxEvents, key?: string) {
    super(url, bearer(key), events);
    this.socket.on("open", () => this.socket.send(INITIALIZE));
    this.socket.once("message", () => {
      this.socket.send(INITIALIZED);
      events.listed();
    });
  }
}
