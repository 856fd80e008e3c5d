/** A real HTTP server that answers as it is told and remembers what it saw, and a link to it. For tests. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { ZaguanError } from "../../src/errors.ts";
import {
  type HttpLink,
  type HttpLinkHandlers,
  openStreamableHttp,
  type StreamableHttpOptions,
} from "../../src/link/streamable-http.ts";

export const INITIALIZE: string = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}';
export const CALL: string = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}';
export const ANSWER: string = '{"jsonrpc":"2.0","id":2,"result":{"big": 9007199254740993, "ñ":"🏠"}}';

const cleanups: (() => Promise<unknown>)[] = [];

/** To be called after each test. */
export async function cleanUp(): Promise<void> {
  for (const clean of cleanups.splice(0).reverse()) await clean();
}

export const JSON_TYPE: Readonly<Record<string, string>> = { "content-type": "application/json" };

export type Seen = Pick<IncomingMessage, "method" | "url" | "headers" | "socket"> & { readonly body: string };
export type Answer = (seen: Seen, response: ServerResponse) => unknown;

export interface House {
  readonly url: string;
  readonly seen: Seen[];
  readonly sockets: ReadonlySet<Socket>;
  connections(): number;
  stop(): Promise<void>;
}

export async function serve(answer: Answer): Promise<House> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer(async (request, response) => {
    const { method, url, headers, socket } = request;
    const chunks = await request.toArray();
    const entry = { method, url, headers, socket, body: Buffer.concat(chunks).toString() };
    seen.push(entry);
    await answer(entry, response);
  });
  server.on("connection", (socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => stopServer(server);
  cleanups.push(stop);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?x=1`;
  return { url, seen, sockets, connections: () => connections, stop };
}

async function stopServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

export interface State {
  readonly messages: string[];
  readonly ended: { sent: string; error: ZaguanError | undefined }[];
}

export async function connect(
  { url }: { readonly url: string },
  more: Partial<StreamableHttpOptions> = {},
  extra: (state: State) => Partial<HttpLinkHandlers> = () => ({}),
): Promise<State & { readonly link: HttpLink }> {
  const state: State = { messages: [], ended: [] };
  const options = { url, headers: {}, allowPrivate: true, name: "casa", maxBytes: 1_000_000, idleMs: 20_000, ...more };
  const link = await openStreamableHttp(options, {
    onMessage: (message) => state.messages.push(message),
    onAnswerEnded: (sent, error) => state.ended.push({ sent, error }),
    ...extra(state),
  });
  cleanups.push(() => link.close());
  return { ...state, link };
}

export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (_seen, response) => response.writeHead(code, headers).end();
}

export function json(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, JSON_TYPE).end(text);
}

export function stream(response: ServerResponse, text: string): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream" }).write(text);
  return response;
}

export function compressed(encoding: string, body: Uint8Array): Answer {
  return (_seen, response) => response.writeHead(200, { ...JSON_TYPE, "content-encoding": encoding }).end(body);
}

export function endless(type: string, head: string, code = 200): Answer {
  return (_seen, response) => {
    const chunk = "x".repeat(10_000);
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(code, { "content-type": type }).write(head);
    response.on("drain", more);
    more();
  };
}

export async function failure(promise: Promise<unknown>): Promise<ZaguanError> {
  const error = await promise.then(
    () => assert.fail("it should have failed"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ZaguanError, String(error));
  return error;
}

export async function until(condition: () => boolean): Promise<void> {
  for (const limit = Date.now() + 90_000; !condition(); ) {
    assert.ok(Date.now() < limit, "waited too long");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
