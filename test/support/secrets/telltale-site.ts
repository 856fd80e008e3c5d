/**
 * A site that repeats its requests, credentials and all, wherever it can: as an MCP server over HTTP, HTTP+SSE and WebSocket, in
 * bodies and headers of refusals, in redirects, as a REST API, an OAuth server, a Home Assistant and a voice cloud.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { type WebSocket, WebSocketServer } from "ws";
import { replies, spelled } from "./telltale.mjs";

export interface TelltaleSite {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly url: string;
  /** How many requests it has repeated. */
  readonly repeated: () => number;
  close(): Promise<void>;
}

/** @param issued the token that its OAuth server gives */
export async function startTelltaleSite(issued: string): Promise<TelltaleSite> {
  let count = 0;
  const streams = new Map<string, ServerResponse>();
  const server = createServer((request, response) => {
    count++;
    void readText(request).then((body) => answer(request, body, response, { issued, streams }));
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    count++;
    if (/^\/(?:broken|refusing|elsewhere)/.test(request.url ?? "")) socket.end(refusedUpgrade(toldBy(request)));
    else sockets.handleUpgrade(request, socket, head, (client) => converse(client, request));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { host, url: `http://${host}`, repeated: () => count, close };
}

interface Site {
  readonly issued: string;
  readonly streams: Map<string, ServerResponse>;
}

/** All that came with a request, and what Basic hides. */
function toldBy({ headers, url = "" }: IncomingMessage, body = ""): string {
  const basic = /^Basic (.*)$/.exec(headers.authorization ?? "")?.[1] ?? "";
  const own = Object.entries(headers).filter(([name]) => /^(?:x-|auth|cookie)/.test(name));
  const query = [...new URL(url, "http://a").searchParams.values()];
  return [...own.map(([, value]) => value), Buffer.from(basic, "base64"), url, ...query, body].join(" ; ");
}

function answer(request: IncomingMessage, body: string, response: ServerResponse, site: Site): ServerResponse {
  const { pathname } = new URL(request.url ?? "", "http://a");
  // What a caller says in a call is the caller's own.
  const told = toldBy(request, /^\/api\/|token/.test(pathname) ? body : "");
  if (pathname === "/token")
    return json(response, 200, JSON.stringify({ access_token: site.issued, expires_in: 3600 }));
  if (pathname === "/bad-token") return json(response, 400, spelled(told));
  if (pathname === "/openapi.json") return json(response, 200, JSON.stringify(document(request.headers.host ?? "")));
  if (pathname.startsWith("/api/")) return restAnswer(pathname, told, response);
  if (pathname === "/broken") return plain(response, 500, told);
  if (pathname === "/refusing")
    return json(response, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":${JSON.stringify(told)}}}`);
  if (pathname === "/elsewhere") return redirect(response, told);
  if (pathname.startsWith("/sse")) return eventStream(request, body, response, site);
  return mcpAnswer(request, body, told, response);
}

function mcpAnswer(request: IncomingMessage, body: string, told: string, response: ServerResponse): ServerResponse {
  if (request.method !== "POST") return plain(response, 405, told);
  const { messages } = replies(body, told);
  if (messages.length === 0) return plain(response, 202, "");
  if (messages.length === 1) return json(response, 200, messages[0] ?? "");
  response.writeHead(200, { "content-type": "text/event-stream" });
  return response.end(messages.map((message: string) => `data: ${message}\n\n`).join(""));
}

/** HTTP+SSE: a stream that says where to post, and answers there. */
function eventStream(
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
  { streams }: Site,
): ServerResponse {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: endpoint\ndata: ${request.url?.replace("/sse", "/sse/post")}\n\n`);
    streams.set("sse", response);
    return response;
  }
  if (!request.url?.startsWith("/sse/post")) return plain(response, 404, toldBy(request, body));
  for (const message of replies(body, toldBy(request)).messages) streams.get("sse")?.write(`data: ${message}\n\n`);
  return plain(response, 202, "");
}

function restAnswer(pathname: string, told: string, response: ServerResponse): ServerResponse {
  if (pathname === "/api/broken") return json(response, 500, spelled(told));
  if (pathname === "/api/elsewhere") return redirect(response, told);
  if (pathname === "/api/text") return plain(response, 200, told);
  return json(response, 200, spelled(told));
}

function redirect(response: ServerResponse, told: string): ServerResponse {
  response.writeHead(302, {
    location: `http://elsewhere.invalid/${encodeURIComponent(told)}?q=${encodeURIComponent(told)}`,
  });
  return response.end(told);
}

function json(response: ServerResponse, status: number, body: string): ServerResponse {
  response.writeHead(status, { "content-type": "application/json" });
  return response.end(body);
}

function plain(response: ServerResponse, status: number, body: string): ServerResponse {
  response.writeHead(status, { "content-type": "text/plain" });
  return response.end(body);
}

function document(host: string): object {
  const get = { operationId: "repeat", responses: { 200: { description: "all" } } };
  return {
    openapi: "3.0.3",
    info: { title: "telltale", version: "1" },
    servers: [{ url: `http://${host}` }],
    paths: { "/api/repeat": { get } },
  };
}

function converse(client: WebSocket, request: IncomingMessage): void {
  const told = toldBy(request);
  client.on("error", () => {});
  if (request.url?.startsWith("/api/websocket")) asHome(client);
  else if (request.url?.startsWith("/cloud")) client.close(4001, told.slice(0, 120));
  else
    client.on("message", (message) => {
      for (const reply of replies(String(message), told).messages) client.send(reply);
    });
}

/** A Home Assistant that refuses the token, and says which. */
function asHome(client: WebSocket): void {
  client.send(JSON.stringify({ type: "auth_required", ha_version: "2025.1.0" }));
  client.on("message", (message) => {
    client.send(JSON.stringify({ type: "auth_invalid", message: `wrong: ${String(message)}` }));
    client.close(1008, String(message).slice(0, 120));
  });
}

function refusedUpgrade(told: string): string {
  return `HTTP/1.1 500 ${encodeURIComponent(told)}\r\ncontent-length: ${Buffer.byteLength(told)}\r\n\r\n${told}`;
}
