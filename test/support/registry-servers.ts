/**
 * Servers for the tests of the registry, each on a socket of its own, as seed 001 meets them: plain JSON-RPC over POST
 * without a handshake, or WebSocket only. How one behaves can be changed while it runs; what it was told is kept.
 */
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** One message that it was sent. */
export interface Told {
  readonly over: "http" | "websocket";
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** In milliseconds of our own clock. */
  readonly at: number;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: Readonly<Record<string, unknown>> };
}

/** What a POST is answered with: a message, a status without one, the text of a whole answer, or nothing for ever. */
export type Posted = object | number | string | undefined;
export type CallOptions = (told: Told, server: StandIn) => Posted;
/** What a frame is answered with, if at all. */
export type FrameManner = (told: Told, server: StandIn, before: readonly Told[]) => object | undefined;

/** In the place of an answer: the connection is cut. */
export const HANG_UP: object = {};

/** The tool of the seed's document. */
export const SEED_TOOL = {
  name: "nombre-herramienta",
  description: "descripción",
  scope: "global",
  inputSchema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
};

/** Seed 001 §1–2: lists and calls without a handshake; knows nothing else. */
export const bare: CallOptions = (told, server) => server.answer(told) ?? unknownMethod(told);

/** The same, where whatever is not understood is a bad request without any JSON. */
export const strictlyBare: CallOptions = (told, server) => server.answer(told) ?? 400;

/** As a server answers that has no HTTP beside its socket, or fails. */
export function always(status: number): CallOptions {
  return () => status;
}

/** So many requests are answered with 500, whatever they are; then it works. */
export function failingFirst(times: number, then: CallOptions = bare): CallOptions {
  let failures = 0;
  return (told, server) => (failures++ < times ? 500 : then(told, server));
}

export const silent: CallOptions = () => undefined;

/** Seed 001 §3–4: nothing is answered before the whole greeting. */
export const greeted: FrameManner = (told, server, before) => {
  if (told.method === "initialize") return welcome(told);
  const isGreeted = before.some(({ method }) => method === "notifications/initialized");
  return isGreeted ? (server.answer(told) ?? known(told)) : { jsonrpc: "2.0", id: told.id, error: NOT_GREETED };
};

/** Takes no notice of `notifications/initialized`, nor of anything else that it does not know. */
export const deaf: FrameManner = (told, server) => (told.method === "initialize" ? welcome(told) : server.answer(told));

/** Knows the seed's sequence and hangs up on whoever says anything else. */
export const offended: FrameManner = (told, server) => {
  if (told.method === "initialize") return welcome(told);
  return told.method === "notifications/initialized" ? undefined : (server.answer(told) ?? HANG_UP);
};

/** Knows no notifications: it takes them for requests that it does not understand. */
export const complaining: FrameManner = (told, server) =>
  told.method === "initialize"
    ? welcome(told)
    : (server.answer(told) ?? { ...unknownMethod(told), id: told.id ?? null });

export interface StandInOptions {
  readonly http?: CallOptions;
  /** Absent: there is no WebSocket. */
  readonly frames?: FrameManner | undefined;
  /** Where the upgrade works. @default /ws */
  readonly socketPath?: string;
  readonly tools?: readonly object[];
  /** @default any free one */
  readonly port?: number;
}

export class StandIn {
  http: CallOptions;
  frames: FrameManner | undefined;
  tools: readonly object[];
  /** What a tool gives; in the seed it is a text, and the text is the whole result. */
  result: (name: string, args: Readonly<Record<string, unknown>>) => unknown = (name, args) =>
    `${name}: ${args["prompt"] ?? JSON.stringify(args)}`;
  readonly told: Told[] = [];
  readonly #server: Server = createServer((request, response) => void this.#take(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #socketPath: string;

  static async start({ port = 0, ...options }: StandInOptions = {}): Promise<StandIn> {
    const standIn = new StandIn(options);
    standIn.#server.listen(port, "127.0.0.1");
    await once(standIn.#server, "listening");
    return standIn;
  }

  private constructor({ http = bare, frames, socketPath = "/ws", tools = [SEED_TOOL] }: StandInOptions) {
    this.http = http;
    this.frames = frames;
    this.tools = tools;
    this.#socketPath = socketPath;
    this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The calls of tools that reached it. */
  get calls(): readonly Told[] {
    return this.told.filter(({ method }) => method === "tools/call");
  }

  /** What it says to a list or a call. */
  answer({ id, method, params }: Told): object | undefined {
    const head = { jsonrpc: "2.0", id };
    if (method === "tools/list") return { ...head, result: { tools: this.tools } };
    if (method !== "tools/call") return undefined;
    return { ...head, result: this.result(params?.name ?? "", params?.arguments ?? {}) };
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    if (request.method !== "POST") return void response.writeHead(405).end();
    const answer = this.http(this.#keep("http", request, text), this);
    if (answer === undefined) return;
    if (answer === HANG_UP) return void request.socket.destroy();
    if (typeof answer === "number") return void response.writeHead(answer).end();
    response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!this.frames || request.url !== this.#socketPath) {
      socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#converse(opened, request));
  }

  #converse(socket: WebSocket, request: IncomingMessage): void {
    const before: Told[] = [];
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const told = this.#keep("websocket", request, String(data));
      const answer = this.frames?.(told, this, before);
      before.push(told);
      if (answer === HANG_UP) socket.terminate();
      else if (answer) socket.send(JSON.stringify(answer));
    });
  }

  #keep(over: Told["over"], { url = "", headers }: IncomingMessage, text: string): Told {
    const told = { ...(JSON.parse(text) as object), over, path: url, headers, at: performance.now() };
    this.told.push(told);
    return told;
  }
}

const NOT_GREETED = { code: -32002, message: "not initialized" };

function welcome({ id }: Told): object {
  const serverInfo = { name: "stand-in", version: "1" };
  return { jsonrpc: "2.0", id, result: { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo } };
}

function unknownMethod({ id, method }: Told): object {
  return { jsonrpc: "2.0", id, error: { code: -32601, message: `Method not found: ${method}` } };
}

/** A notification has no answer. */
function known(told: Told): object | undefined {
  return told.id === undefined ? undefined : unknownMethod(told);
}
