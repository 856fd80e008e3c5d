/** A real HTTP port on loopback with the doors a test asks for, and requests to it with every header in the test's hand. */

import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { randomToken } from "../../src/compose/system.ts";
import type { Principal } from "../../src/core/call.ts";
import { localForDoors } from "../../src/core/shared/for-doors.ts";
import type { Door, DoorContext, DoorFactory, DoorLimits, HubStatus } from "../../src/doors/door.ts";
import { type HttpOptions, HttpServer, type HttpSettings } from "../../src/doors/http/server.ts";
import { ZaguanError } from "../../src/errors.ts";
import { type FakeGateway, fakeGateway } from "./fake-gateway.ts";
import { makeError } from "./make-error.ts";

export const LOCAL: Principal = { id: "local", kind: "local", name: "local", admin: true };

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body, parsed. */
  readonly json: Record<string, unknown> & { readonly error?: RpcFailure; readonly result?: Record<string, unknown> };
}

export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface OpenDoors {
  readonly url: string;
  readonly port: number;
  readonly gateway: FakeGateway;
  /** Causes that were reported as unexpected. */
  readonly reported: unknown[];
  ask(path: string, asked?: Asked): Promise<Answered>;
  /** Resolves at the head of the answer; the body is the test's to read. */
  begin(path: string, asked?: Asked): Promise<IncomingMessage>;
  /** Sends bytes as they are, and resolves with all that comes back before the end. */
  raw(bytes: string | Buffer): Promise<string>;
  drain(): void;
  unreadBytes(): number;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly settings?: Partial<HttpSettings>;
  readonly limits?: Partial<DoorLimits>;
  readonly status?: Partial<HubStatus>;
  readonly authenticate?: HttpOptions["authenticate"];
  /** For doors that use it; most do not. */
  readonly registry?: DoorContext["registry"];
  readonly actingAs?: HttpOptions["actingAs"];
  /** What else the doors of a test need. */
  readonly context?: Partial<DoorContext>;
}

/** Callers are local, unless they send `x-api-key`, which is then their name. `x-api-key: wrong` is nobody's. */
export async function openDoors(doors: readonly (DoorFactory | Door)[], options: OpenOptions = {}): Promise<OpenDoors> {
  const gateway = fakeGateway();
  const reported: unknown[] = [];
  const report = (cause: unknown) => `ref-${reported.push(cause)}`;
  const limits = { depth: 64, elements: 10_000, sessions: 100, sessionIdleMs: 60_000, ...options.limits };
  const status = {
    version: "9.9.9",
    startedUtc: "",
    uptimeSeconds: 1,
    callsInFlight: 0,
    sources: [],
    ...options.status,
  };
  const seen = { gateway, servers: gateway, offers: gateway.offers };
  const registry = options.registry ?? ({} as DoorContext["registry"]);
  const idle = { pending: 0, processing: 0, byPriority: { HIGH: 0, MEDIUM: 0, LOW: 0, BULK: 0 }, estimatedWaitMs: 0 };
  const context = {
    ...seen,
    limits: () => limits,
    status: () => status,
    registry,
    report,
    queue: () => idle,
    storeFault: () => undefined,
    houses: () => [],
    shared: localForDoors(randomToken),
    ...options.context,
  } as DoorContext;
  const bounds = { bodyBytes: 100_000, connections: 100, unreadBytes: 268_435_456 };
  const settings = { ...bounds, allowedHosts: [], allowedOrigins: [], trustedProxies: [], ...options.settings };
  const server = new HttpServer({
    host: "127.0.0.1",
    port: 0,
    language: "en",
    doors: doors.map((door) => (typeof door === "function" ? door(context) : door)),
    settings: () => settings,
    authenticate: options.authenticate ?? byApiKey,
    slugOf: () => undefined,
    actingAs: options.actingAs ?? (() => Promise.reject(makeError("NO_SUCH"))),
    report,
  });
  const url = await server.listen();
  const port = Number(new URL(url).port);
  const begin = (path: string, asked: Asked = {}) => ask(port, path, asked);
  return {
    url,
    port,
    gateway,
    reported,
    begin,
    ask: async (path, asked) => whole(await begin(path, asked)),
    raw: (bytes) => raw(port, bytes),
    drain: () => server.drain(),
    unreadBytes: () => server.unreadBytes,
    close: () => server.close(1_000),
  };
}

/** POSTs one JSON-RPC message, declared as JSON. */
export function rpc(message: unknown, headers: Asked["headers"] = {}): Asked {
  const body = typeof message === "string" ? message : JSON.stringify(message);
  return { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
}

async function byApiKey(headers: IncomingHttpHeaders): Promise<Principal> {
  const key = headers["x-api-key"];
  if (key === "wrong") throw new ZaguanError("UNAUTHORIZED");
  return typeof key === "string" ? { id: `key:${key}`, kind: "key", name: key } : LOCAL;
}

function ask(port: number, path: string, { method = "GET", headers = {}, body }: Asked): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sending = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, resolve);
    sending.on("error", reject);
    sending.end(body);
  });
}

async function whole(response: IncomingMessage): Promise<Answered> {
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) text += chunk;
  const isJson = response.headers["content-type"]?.includes("json") && text !== "";
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    json: (isJson ? JSON.parse(text) : {}) as Answered["json"],
  };
}

function raw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}
