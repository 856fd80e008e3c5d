/** The stub of revision 2026-07-28 behind a real HTTP server that checks headers as the revision asks; for tests. */
import type { ServerResponse } from "node:http";
import { decodeHeader, paramHeaders, paramMismatch } from "../../src/protocol/mcp/headers.ts";
import { type House, json, type Seen, serve } from "./http-house.ts";
import { type Fields, Stub2026, type StubMessage } from "./stub-2026.ts";

const NAMED_BY: Readonly<Record<string, string>> = { "tools/call": "name", "resources/read": "uri" };

export class HttpStub2026 extends Stub2026 {
  house: House = undefined as unknown as House;
  /** The requests whose exchange was closed before they were answered. */
  readonly cancelled: (number | undefined)[] = [];
  /** Taken instead of a request, as long as it answers true. */
  instead: (message: StubMessage, response: ServerResponse, seen: Seen) => boolean = () => false;
  readonly #responses = new Map<number | undefined, ServerResponse>();

  async start(): Promise<this> {
    this.house = await serve((seen, response) => this.#take(seen, response));
    return this;
  }

  /** The headers that came with requests of this kind. */
  headersOf(method: string): readonly Seen["headers"][] {
    return this.house.seen.filter(({ headers }) => headers["mcp-method"] === method).map(({ headers }) => headers);
  }

  /** Ends a stream that is open, as a proxy would. */
  cut(id: number | undefined): void {
    this.#responses.get(id)?.destroy();
  }

  #take(seen: Seen, response: ServerResponse): void {
    if (seen.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(seen.body) as StubMessage;
    if (this.instead(message, response, seen)) return;
    const wrong = this.#mismatch(seen, message);
    const refusal = this.refusal(message.params)?.error;
    if (wrong !== undefined) refuse(response, 400, message.id, -32020, `Header mismatch: ${wrong}`);
    else if (refusal) json(response, 400, JSON.stringify({ jsonrpc: "2.0", id: message.id, error: refusal }));
    else this.#answer(message, response);
  }

  #answer(message: StubMessage, response: ServerResponse): void {
    const { id } = message;
    this.#responses.set(id, response);
    response.on("close", () => {
      if (!response.writableEnded) this.cancelled.push(id);
      this.listeners.delete(id ?? 0);
    });
    this.take(message, (said) => say(response, said, id));
  }

  #mismatch({ headers }: Seen, { method, params }: StubMessage): string | undefined {
    const version = params?._meta?.["io.modelcontextprotocol/protocolVersion"];
    if (headers["mcp-protocol-version"] !== version) return "MCP-Protocol-Version";
    if (headers["mcp-method"] !== method) return "Mcp-Method";
    const key = NAMED_BY[method];
    if (key !== undefined && decodeHeader(String(headers["mcp-name"])) !== params[key]) return "Mcp-Name";
    const tool = method === "tools/call" ? this.tools.find(({ name }) => name === params.name) : undefined;
    const wanted = paramHeaders(tool?.["inputSchema"]);
    const wrong = paramMismatch(wanted, params?.arguments, (name) => headers[name] as string | undefined);
    return wrong && String(wrong.details.params?.["header"]);
  }
}

/** An unknown method has a status of its own; all else is an event stream. */
function say(response: ServerResponse, said: Fields, id: number | undefined): void {
  const { code } = (said["error"] ?? {}) as { code?: number };
  if (code === -32601 && !response.headersSent) {
    json(response, 404, JSON.stringify(said));
    return;
  }
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`data: ${JSON.stringify(said)}\n\n`);
  if ("id" in said && said["id"] === id) response.end();
}

export function refuse(response: ServerResponse, status: number, id: unknown, code: number, message: string): void {
  json(response, status, JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
}
