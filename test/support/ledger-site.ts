/**
 * The ledger server over HTTP (`/http`) and WebSocket (`/ws`), in this process: `incr`, `put` and `echo` write their tag down
 * before they answer. An answer over HTTP goes out in two pieces, so that a reset can come between. Revision 2025-11-25.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name: string; readonly arguments: { readonly tag: string } };
}

const ANNOTATIONS = { incr: {}, put: { idempotentHint: true }, echo: { readOnlyHint: true } };
const inputSchema = { type: "object", properties: { tag: { type: "string" } }, required: ["tag"] };
const TOOLS = Object.entries(ANNOTATIONS).map(([name, annotations]) => ({ name, inputSchema, annotations }));
/** Between the two pieces of an answer. */
const PAUSE_MS = 5;

export class LedgerSite {
  /** One for each execution. */
  readonly executed: string[] = [];
  readonly #workMs: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async open(workMs: number): Promise<LedgerSite> {
    const site = new LedgerSite(workMs);
    site.#server.listen(0, "127.0.0.1");
    await once(site.#server, "listening");
    return site;
  }

  private constructor(workMs: number) {
    this.#workMs = workMs;
    this.#server = createServer((request, response) => void this.#post(request, response));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket));
    });
    const sockets = new WebSocketServer({ server: this.#server, path: "/ws", handleProtocols: () => "mcp" });
    sockets.on("connection", (socket) => {
      socket.on("error", () => {}).on("message", (data) => void this.#take(socket, String(data)));
    });
  }

  /** @param scheme `http` or `ws` */
  urlOf(scheme: "http" | "ws"): string {
    return `${scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${scheme}`;
  }

  /** Resets every connection. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.reset();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const answer = await this.#answer(await readText(request).catch(() => "{}"));
    if (answer === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) });
    const half = answer.length >> 1;
    response.write(answer.slice(0, half));
    await sleep(PAUSE_MS);
    response.end(answer.slice(half));
  }

  async #take(socket: WebSocket, message: string): Promise<void> {
    const answer = await this.#answer(message);
    if (answer !== undefined) socket.send(answer);
  }

  async #answer(text: string): Promise<string | undefined> {
    const { id, method, params } = JSON.parse(text) as Request;
    if (id === undefined) return undefined;
    const outcome = await this.#outcome(method, params);
    return JSON.stringify({ jsonrpc: "2.0", id, ...outcome });
  }

  async #outcome(method: string, params: Request["params"]): Promise<object> {
    if (method === "tools/call") return { result: await this.#execute(params?.arguments.tag ?? "") };
    if (method === "tools/list") return { result: { tools: TOOLS } };
    if (method === "ping") return { result: {} };
    if (method !== "initialize") return { error: { code: -32601, message: `Method not found: ${method}` } };
    const serverInfo = { name: "ledger", version: "1.0.0" };
    return { result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } };
  }

  async #execute(tag: string): Promise<object> {
    this.executed.push(tag);
    await sleep(this.#workMs);
    return { content: [{ type: "text", text: tag }] };
  }
}
