/**
 * Revision 2025-11-25 over HTTP, as the TypeScript SDK's documents show it, the same in both generations of the SDK: one
 * transport and one server per session, and events that are kept for clients that come back.
 */
import { randomUUID } from "node:crypto";
import { json } from "node:stream/consumers";

/** How long a client waits that was sent away. */
const RETRY_MS = 50;

export class Sessions {
  #transports = new Map();
  #Transport;
  #connect;

  /** `connect(transport)` makes a server and connects it. */
  constructor(Transport, connect) {
    this.#Transport = Transport;
    this.#connect = connect;
  }

  async handle(request, response, body) {
    const id = request.headers["mcp-session-id"];
    const transport = id === undefined ? await this.#begin(body) : this.#transports.get(id);
    if (transport) await transport.handleRequest(request, response, body);
    else refuse(response, id === undefined ? 400 : 404, id === undefined ? "No session" : "Session not found");
  }

  async #begin(body) {
    if (body?.method !== "initialize") return undefined;
    const transport = new this.#Transport({
      sessionIdGenerator: randomUUID,
      eventStore: new EventStore(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => void this.#transports.set(id, transport),
      onsessionclosed: (id) => void this.#transports.delete(id),
    });
    await this.#connect(transport);
    return transport;
  }
}

/** The message of a POST; nothing for the other methods. */
export function bodyOf(request) {
  return request.method === "POST" ? json(request) : undefined;
}

function refuse(response, status, message) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message } }));
}

/** An event's id is the stream's and its number among all. */
class EventStore {
  #events = [];

  async storeEvent(stream, message) {
    const id = `${stream}/${this.#events.length}`;
    this.#events.push({ id, stream, message });
    return id;
  }

  async replayEventsAfter(lastId, { send }) {
    const [stream, number] = lastId.split("/");
    const later = this.#events.slice(Number(number) + 1).filter((event) => event.stream === stream);
    for (const { id, message } of later) if (Object.keys(message).length > 0) await send(id, message);
    return stream;
  }
}
