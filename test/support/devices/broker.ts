/**
 * The cloud endpoint of a voice agent (接入点), which we dial and which then calls us: plain JSON-RPC, ids from 0, pings that
 * must be answered. It greets by itself and hangs up with 4004 on whoever answers its greeting wrongly.
 */
import type { WebSocket } from "ws";
import type { Message } from "../line-rpc.ts";
import { until } from "../processes.ts";
import { Frames, type Kept, PATIENCE_MS } from "./frames.ts";
import { type Dial, Listening } from "./listening.ts";
import { isObject } from "./mcp-side.ts";

export interface BrokerOptions {
  /** @default any free one */
  readonly port?: number;
  /** @default any token is good */
  readonly tokens?: readonly string[];
  /** What a bad token is answered with: no upgrade, or a socket that is closed at once. @default 401 */
  readonly refusal?: "401" | "1008";
  /** From the answer to a ping to the next. @default no pings */
  readonly pingMs?: number;
  /** How long an answer to a ping may take. @default as long as anything */
  readonly pongMs?: number;
  /** How long an answer to its greeting may take. @default 10 s */
  readonly greetingMs?: number;
  /** False: it lets in and says nothing by itself. @default true */
  readonly greets?: boolean;
}

export class CloudBroker {
  /** Everybody who was let in, in order. */
  readonly links: BrokerLink[] = [];
  #listening: Listening | undefined;
  #taken = 0;

  static async start(options: BrokerOptions = {}): Promise<CloudBroker> {
    const broker = new CloudBroker();
    const isGood = ({ query }: Dial): boolean => !options.tokens || options.tokens.includes(query.get("token") ?? "");
    const reception = {
      refusal: (dial: Dial) => (dial.path === "/mcp/" ? refusalOf(isGood(dial), options) : 404),
      welcome: (socket: WebSocket, dial: Dial) => {
        if (isGood(dial)) broker.links.push(new BrokerLink(socket, dial, options));
        else socket.close(1008, "Invalid token");
      },
    };
    broker.#listening = await Listening.start(reception, options.port);
    return broker;
  }

  get port(): number {
    return this.#server.port;
  }

  get dials(): readonly Dial[] {
    return this.#server.dials;
  }

  /** What a user pastes. */
  url(token = "eyJhbGciOiJFUzI1NiJ9.e30.c2VjcmV0"): string {
    return `${this.#server.url}/mcp/?token=${encodeURIComponent(token)}`;
  }

  /** The next one that was let in and greeted us well, each once; those that did not are passed over. */
  async next(): Promise<BrokerLink> {
    let found: BrokerLink | undefined;
    await until(
      "somebody is let in and answers the greeting",
      () => {
        found = this.links.slice(this.#taken).find(({ isReady }) => isReady);
        return found !== undefined;
      },
      PATIENCE_MS,
    );
    this.#taken = this.links.indexOf(found as BrokerLink) + 1;
    return found as BrokerLink;
  }

  cutAll(): void {
    this.#server.cutAll();
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  get #server(): Listening {
    if (!this.#listening) throw new Error("the broker was not started");
    return this.#listening;
  }
}

/** One of those who dialled: for them we are the client. */
export class BrokerLink {
  readonly dial: Dial;
  readonly frames: Frames;
  readonly socket: WebSocket;
  /** The greeting was answered and the first list was good. */
  isReady = false;
  /** What `initialize` was answered with. */
  initialized: Message;
  #nextId = 0;

  constructor(socket: WebSocket, dial: Dial, options: BrokerOptions) {
    this.dial = dial;
    this.socket = socket;
    this.frames = new Frames(socket);
    if (options.greets ?? true) void this.#greet(options).catch(() => socket.close(4004, "Internal server error"));
    else this.isReady = true;
  }

  /** A request as it is, with an id that it may bring itself; what is said in the answer. */
  async ask(method: string, params?: unknown, id: unknown = this.#nextId++): Promise<Message> {
    return (await this.askFrame(method, params, id)).payload;
  }

  /** The same, with the frame that it came in. */
  askFrame(method: string, params?: unknown, id: unknown = this.#nextId++, limitMs?: number): Promise<Kept> {
    const from = this.frames.all.length;
    this.send({ id, jsonrpc: "2.0", method, ...(params !== undefined && { params }) });
    return this.frames.answer(id, from, limitMs);
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  /** With all that the real one sends beside what MCP asks for. */
  async call(name: string, args: object = {}): Promise<Message> {
    const more = { serialNumber: null, clientId: null };
    const params = { name, arguments: args, ...more, _meta: { ...more, agentId: 123 } };
    return (await this.ask("tools/call", params)).result;
  }

  /** Every page of the list; fails rather than go round for ever. */
  async pages(): Promise<Message[]> {
    const pages: Message[] = [];
    let cursor: string | undefined;
    do {
      const { result, error } = await this.ask("tools/list", cursor === undefined ? {} : { cursor });
      if (!result) throw new Error(`tools/list was answered with ${JSON.stringify(error)}`);
      pages.push(result);
      cursor = result.nextCursor;
      if (pages.length > 10_000) throw new Error(`the list does not end: ${cursor}`);
    } while (cursor !== undefined);
    return pages;
  }

  async names(): Promise<string[]> {
    return (await this.pages()).flatMap(({ tools }) => tools.map(({ name }: Message) => name));
  }

  async #greet({ pingMs, pongMs = PATIENCE_MS, greetingMs = 10_000 }: BrokerOptions): Promise<void> {
    this.initialized = (await this.askFrame("initialize", GREETING, this.#nextId++, greetingMs)).payload;
    if (!isWelcome(this.initialized)) throw new Error("no valid answer to initialize");
    this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    if (!isList((await this.askFrame("tools/list", {}, this.#nextId++, greetingMs)).payload))
      throw new Error("no valid list of tools");
    this.isReady = true;
    if (pingMs !== undefined) void this.#ping(pingMs, pongMs);
  }

  async #ping(pingMs: number, pongMs: number): Promise<void> {
    while (this.frames.ending === undefined) {
      const answer = await this.askFrame("ping", {}, this.#nextId++, pongMs).catch(() => undefined);
      if (!isObject(answer?.payload.result)) this.socket.terminate();
      await new Promise((resolve) => setTimeout(resolve, pingMs));
    }
  }
}

const GREETING = {
  protocolVersion: "2024-11-05",
  capabilities: { sampling: {}, roots: { listChanged: false } },
  clientInfo: { name: "xz-mcp-broker", version: "0.0.1" },
};

function refusalOf(isGood: boolean, { refusal = "401" }: BrokerOptions): number | undefined {
  return isGood || refusal === "1008" ? undefined : 401;
}

function isWelcome({ jsonrpc, result }: Message): boolean {
  const isNamed = typeof result?.serverInfo?.name === "string" && typeof result.serverInfo.version === "string";
  return jsonrpc === "2.0" && isNamed && typeof result.protocolVersion === "string" && isObject(result.capabilities);
}

function isList({ result }: Message): boolean {
  const isTool = (tool: Message): boolean => typeof tool?.name === "string" && tool.inputSchema?.type === "object";
  return Array.isArray(result?.tools) && result.tools.every(isTool);
}
