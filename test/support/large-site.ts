/**
 * MCP servers by URL whose one tool answers with as many bytes as it is asked for: over Streamable HTTP as JSON (`/json`)
 * or as an event stream (`/events`), over HTTP+SSE (`/sse`) and over a WebSocket (`/socket`), where all calls share one
 * connection.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { WebSocketServer } from "ws";

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly arguments?: { readonly bytes?: number } };
}

export interface LargeSite {
  readonly url: string;
  /** How many streams and sockets were opened. */
  opened(): number;
  close(): Promise<void>;
}

export async function openLargeSite(): Promise<LargeSite> {
  let opened = 0;
  let stream: ServerResponse | undefined;
  const server = createServer(async (request, response) => {
    if (request.method === "GET" && request.url === "/sse") {
      opened++;
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write("event: endpoint\ndata: /posted\n\n");
    } else if (request.method === "POST") await take(request, response, () => stream);
    else response.writeHead(405).end();
  });
  const sockets = new WebSocketServer({ server, path: "/socket" });
  sockets.on("connection", (socket) => {
    opened++;
    socket.on("message", (data) => {
      const said = answer(JSON.parse(String(data)));
      if (said !== undefined) socket.send(said);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    opened: () => opened,
    close: async () => {
      sockets.close();
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function take(
  request: IncomingMessage,
  response: ServerResponse,
  stream: () => ServerResponse | undefined,
): Promise<void> {
  const said = answer(JSON.parse(await text(request)));
  if (request.url === "/posted") {
    response.writeHead(202).end();
    if (said !== undefined) stream()?.write(`data: ${said}\n\n`);
  } else if (request.url === "/sse" || request.url === "/socket") response.writeHead(405).end();
  else if (said === undefined) response.writeHead(202).end();
  else if (request.url === "/json") response.writeHead(200, { "content-type": "application/json" }).end(said);
  else response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${said}\n\n`);
}

function answer({ id, method, params }: Message): string | undefined {
  if (id === undefined) return undefined;
  const result = resultOf(method, params);
  const error = { code: -32601, message: "Method not found" };
  return JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) });
}

function resultOf(method: Message["method"], params: Message["params"]): object | undefined {
  if (method === "tools/list") return { tools: [{ name: "act", inputSchema: { type: "object" } }] };
  if (method === "tools/call") {
    return { content: [{ type: "text", text: "x".repeat(params?.arguments?.bytes ?? 0) }] };
  }
  if (method !== "initialize") return undefined;
  return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "large", version: "1" } };
}
