/**
 * The echo server on one port of this process, in every form that has a URL: `/NAME` is the form of that name. What is
 * sent goes out in pieces that cut characters in two.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { type Answer, type EchoServer, makeEcho, type Revision } from "./echo.ts";
import { acceptSocket } from "./websocket.ts";

export type Form = "json" | "events" | "http+sse" | "websocket";

export interface UrlEcho {
  readonly name: string;
  readonly revision: Revision;
  readonly form: Form;
}

export interface EchoHouse {
  urlOf(name: string): string;
  close(): Promise<void>;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<unknown> | unknown;

/** Which member of params `Mcp-Name` repeats. */
const NAMED_BY: Readonly<Record<string, "name" | "uri">> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};
const STATUS: Readonly<Record<number, number>> = { [-32601]: 404, [-32022]: 400 };

export async function openEchoHouse(all: readonly UrlEcho[]): Promise<EchoHouse> {
  const handlers = new Map(all.map((one) => [`/${one.name}`, handlerOf(one)]));
  const sockets = new Map(all.filter(isSocket).map(({ name, revision }) => [`/${name}`, makeEcho(name, revision)]));
  const server = createServer((request, response) => {
    const handle = handlers.get(pathOf(request)) ?? ((_request, answer) => refuse(answer, 404));
    void handle(request, response);
  });
  server.on("upgrade", (request, socket) => {
    const echo = sockets.get(pathOf(request));
    if (echo) acceptSocket(echo, request, socket);
    else socket.end("HTTP/1.1 404 Not Found\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { urlOf: (name) => `http://127.0.0.1:${port}/${name}`, close: () => stop(server) };
}

function handlerOf({ name, revision, form }: UrlEcho): Handle {
  if (form === "websocket") return (_request, response) => refuse(response, 405);
  const echo = makeEcho(name, revision);
  if (form === "http+sse") return httpSse(echo);
  return revision === "2026-07-28" ? stateless(echo, form) : withSessions(echo, form);
}

function withSessions(echo: EchoServer, form: Form): Handle {
  const sessions = new Set<unknown>();
  return async (request, response) => {
    if (request.method === "DELETE") return refuse(response, 204);
    if (request.method !== "POST") return refuse(response, 405);
    const body = await readText(request);
    const isGreeting = methodOf(body) === "initialize";
    const session = isGreeting ? randomUUID() : request.headers["mcp-session-id"];
    if (isGreeting) sessions.add(session);
    if (session === undefined) return refuse(response, 400);
    if (!sessions.has(session)) return refuse(response, 404);
    if (!isGreeting && request.headers["mcp-protocol-version"] !== echo.revision) return refuse(response, 400);
    const headers: Record<string, string> = isGreeting ? { "mcp-session-id": String(session) } : {};
    return reply(response, form, await echo.answer(body), headers);
  };
}

function stateless(echo: EchoServer, form: Form): Handle {
  return async (request, response) => {
    if (request.method !== "POST") return refuse(response, 405);
    const body = await readText(request);
    const wrong = wrongHeader(body, request.headers);
    if (wrong === undefined) return reply(response, form, await echo.answer(body));
    const { id = null } = JSON.parse(body) as { id?: unknown };
    const error = { code: -32020, message: `${wrong} is missing or wrong`, data: { header: wrong } };
    response.writeHead(400, { "content-type": "application/json" });
    return response.end(JSON.stringify({ jsonrpc: "2.0", id, error }));
  };
}

/** The first header that does not repeat what the body says. */
function wrongHeader(body: string, headers: IncomingMessage["headers"]): string | undefined {
  const { method, params } = JSON.parse(body) as { method: string; params?: Record<string, unknown> };
  const meta = params?.["_meta"] as Record<string, unknown> | undefined;
  const wanted: Record<string, unknown> = {
    "mcp-protocol-version": meta?.["io.modelcontextprotocol/protocolVersion"] ?? headers["mcp-protocol-version"],
    "mcp-method": method,
    ...(NAMED_BY[method] && { "mcp-name": params?.[NAMED_BY[method]] }),
  };
  return Object.keys(wanted).find((name) => decoded(String(headers[name])) !== wanted[name]);
}

function decoded(header: string): string {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(header) ?? [];
  return base64 === undefined ? header : Buffer.from(base64, "base64").toString();
}

/** Streams by their session, which is where their messages are posted to. */
function httpSse(echo: EchoServer): Handle {
  const streams = new Map<string, ServerResponse>();
  return async (request, response) => {
    const session = /[?]session=(.*)/.exec(request.url ?? "")?.[1];
    if (request.method === "GET") return openStream(request, response, streams);
    const stream = streams.get(session ?? "");
    if (request.method !== "POST" || !stream) return refuse(response, 405);
    const answered = await echo.answer(await readText(request));
    response.writeHead(202).end("Accepted");
    return answered && writeInPieces(stream, eventOf(answered.text));
  };
}

function openStream(request: IncomingMessage, response: ServerResponse, streams: Map<string, ServerResponse>): void {
  const session = randomUUID();
  streams.set(session, response);
  response.on("close", () => streams.delete(session));
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`event: endpoint\ndata: ${pathOf(request)}?session=${session}\n\n`);
}

function reply(
  response: ServerResponse,
  form: Form,
  answered: Answer | undefined,
  headers: Record<string, string> = {},
): void {
  if (!answered) {
    refuse(response, 202);
    return;
  }
  const isStream = form === "events";
  const type = isStream ? "text/event-stream" : "application/json";
  response.writeHead(STATUS[answered.error ?? 0] ?? 200, { "content-type": type, ...headers });
  writeInPieces(response, isStream ? `: at work\n\n${eventOf(answered.text)}` : answered.text);
  response.end();
}

function eventOf(message: string): string {
  return `event: message\ndata: ${message.split(/\r\n|\r|\n/).join("\ndata: ")}\n\n`;
}

function writeInPieces(response: ServerResponse, text: string): void {
  const bytes = Buffer.from(text);
  const half = bytes.length >> 1;
  response.write(bytes.subarray(0, half));
  response.write(bytes.subarray(half));
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

function methodOf(body: string): unknown {
  return (JSON.parse(body) as { method?: unknown }).method;
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "").replace(/\?.*$/s, "");
}

function isSocket({ form }: UrlEcho): boolean {
  return form === "websocket";
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
}
