/** Every official door of a hub, from outside: how a client of each opens it, asks, and gets the answer's own text. */
import assert from "node:assert/strict";
import { cut, memberText } from "../echo-servers/cut.ts";
import { RpcOverHttp } from "../rpc-over-http.ts";
import { openSocket } from "../socket-client.ts";
import type { SpawnedZaguan } from "../spawn-zaguan.ts";
import type { OddMember } from "./odd-json.ts";
import { openHttpSse, type Pipe } from "./pipes.ts";

export type Era = "handshake" | "stateless";

export interface Request {
  /** As it is written. */
  readonly id: string;
  readonly method: string;
  readonly params: string;
  /** What is asked for: the tool's or prompt's name, or the resource's URI. */
  readonly subject: string;
}

export interface Told {
  /** The whole message. */
  readonly text: string;
  /** Whether it came in lines or events, where a break between tokens cannot be told from another. */
  readonly inLines: boolean;
}

export interface Client {
  ask(request: Request): Promise<Told>;
  close(): Promise<unknown>;
}

export interface Door {
  readonly name: string;
  readonly era: Era;
  /** The whole catalogue, in which names have their server's in front. */
  readonly whole?: boolean;
  /** A process of its own, which cannot be one of many clients. */
  readonly ownProcess?: boolean;
  open(place: Place): Promise<Client>;
}

/** Where a server is to be reached. */
export interface Place {
  readonly hub: SpawnedZaguan;
  readonly server: string;
  /** To a `zaguan stdio` for this server; one at a time may use it, and it stays open. */
  readonly stdio?: Pipe;
}

const KEY = "io.modelcontextprotocol/";
const LIMIT_MS = 60_000;
const ACCEPT = "application/json, text/event-stream";

/** What a client of the stateless era says of itself in every request, as members of `_meta`. */
export const ENVELOPE: readonly OddMember[] = [
  { key: `${KEY}protocolVersion`, value: '"2026-07-28"' },
  { key: `${KEY}clientCapabilities`, value: "{ }" },
  { key: `${KEY}clientInfo`, value: '{"name":"t","version":1.0}' },
];

export const DOORS: readonly Door[] = [
  { name: "HTTP 2025-11-25", era: "handshake", open: (place) => openSession(place, "2025-11-25") },
  { name: "HTTP 2025-03-26", era: "handshake", open: (place) => openSession(place, "2025-03-26") },
  { name: "HTTP 2026-07-28", era: "stateless", open: async (place) => stateless(place) },
  { name: "WebSocket, handshake", era: "handshake", open: (place) => openSocketDoor(place, "2025-11-25") },
  { name: "WebSocket, stateless", era: "stateless", open: (place) => openSocketDoor(place, undefined) },
  { name: "HTTP+SSE 2024-11-05", era: "handshake", open: (place) => openSseDoor(place) },
  // In this order, since once hands were shaken it would not be seen whether that was needed.
  { name: "stdio, stateless", era: "stateless", ownProcess: true, open: ({ stdio }) => talk(kept(stdio), undefined) },
  {
    name: "stdio, handshake",
    era: "handshake",
    ownProcess: true,
    open: ({ stdio }) => talk(kept(stdio), "2025-11-25"),
  },
  { name: "/mcp 2025-11-25", era: "handshake", whole: true, open: (place) => openSession(place, "2025-11-25", "/mcp") },
  { name: "/mcp 2026-07-28", era: "stateless", whole: true, open: async (place) => stateless(place, "/mcp") },
];

async function openSession({ hub, server }: Place, version: string, path = pathOf(server)): Promise<Client> {
  const http = new RpcOverHttp(hub.url, 4);
  const post = (body: string, headers: Record<string, string> = {}) =>
    http.send("POST", path, body, { accept: ACCEPT, ...headers });
  const greeting = await post(messageOf({ id: "0", method: "initialize", params: greetingOf(version), subject: "" }));
  assert.equal(versionIn(greeting.text), version, greeting.text);
  const session = { "mcp-session-id": String(greeting.headers["mcp-session-id"]) };
  // The header came with the revision after 2025-03-26, which has batches instead: every other request is one.
  const isFirst = version === "2025-03-26";
  const headers = isFirst ? session : { ...session, "mcp-protocol-version": version };
  await post(INITIALIZED, headers);
  let asked = 0;
  return {
    ask: async (request) => {
      const isBatch = isFirst && asked++ % 2 === 1;
      const told = toldBy(await post(isBatch ? `[${messageOf(request)}]` : messageOf(request), headers));
      return isBatch ? { ...told, text: told.text.replace(/^\[|\]$/g, "") } : told;
    },
    close: async () => {
      await http.send("DELETE", path, undefined, headers);
      await http.close();
    },
  };
}

function stateless({ hub, server }: Place, path = pathOf(server)): Client {
  const http = new RpcOverHttp(hub.url, 4);
  const common = { accept: ACCEPT, "mcp-protocol-version": "2026-07-28" };
  return {
    ask: async (request) => {
      const headers = { ...common, "mcp-method": request.method, ...nameHeader(request) };
      return toldBy(await http.send("POST", path, messageOf(request), headers));
    },
    close: () => http.close(),
  };
}

async function openSocketDoor({ hub, server }: Place, version: string | undefined): Promise<Client> {
  const { send, next, socket, closed } = await openSocket(`${hub.url}${pathOf(server)}`);
  const close = async (): Promise<void> => {
    socket.close();
    await closed;
  };
  return talk({ send, next, close, inLines: false }, version);
}

async function openSseDoor({ hub, server }: Place): Promise<Client> {
  return talk(await openHttpSse(`${hub.url}/servers/${server}/sse`), "2024-11-05");
}

function kept(pipe: Pipe | undefined): Pipe {
  assert.ok(pipe, "no process to talk to");
  return { ...pipe, close: async () => {} };
}

/** Over what carries messages both ways; with a handshake if there is a version to agree on. */
async function talk(pipe: Pipe, version: string | undefined): Promise<Client> {
  const answer = async (): Promise<string> => {
    for (;;) {
      const text = await pipe.next();
      if (memberText(cut(text), "method") === undefined) return text;
    }
  };
  const ask = async (request: Request): Promise<Told> => {
    pipe.send(messageOf(request));
    return { text: await soon(answer()), inLines: pipe.inLines };
  };
  const close = (): Promise<unknown> => pipe.close();
  try {
    if (version === undefined) return { ask, close };
    const greeting = await ask({ id: "0", method: "initialize", params: greetingOf(version), subject: "" });
    assert.equal(versionIn(greeting.text), version, greeting.text);
    pipe.send(INITIALIZED);
    return { ask, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

function messageOf({ id, method, params }: Request): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
}

function greetingOf(protocolVersion: string): string {
  return JSON.stringify({ protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1.0" } });
}

function versionIn(greeting: string): unknown {
  return (JSON.parse(greeting) as { result?: { protocolVersion?: unknown } }).result?.protocolVersion;
}

/** Plain JSON, or the last event of a stream. */
function toldBy({ headers, text }: Awaited<ReturnType<RpcOverHttp["send"]>>): Told {
  if (!String(headers["content-type"]).includes("text/event-stream")) return { text, inLines: false };
  const events = text.split("\n\n").map((event) => event.split("\n").filter((line) => line.startsWith("data: ")));
  const last = events.filter((lines) => lines.length > 0).at(-1) ?? [];
  return { text: last.map((line) => line.slice("data: ".length)).join("\n"), inLines: true };
}

function nameHeader({ method, subject }: Request): Record<string, string> {
  if (method === "tools/list") return {};
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(subject);
  return { "mcp-name": isPlain ? subject : `=?base64?${Buffer.from(subject).toString("base64")}?=` };
}

function pathOf(server: string): string {
  return `/servers/${server}/mcp`;
}

/** An answer that never comes is told as that, not as a test that hangs. */
async function soon<T>(promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${LIMIT_MS} ms`)), LIMIT_MS);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
