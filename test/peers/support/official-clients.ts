/**
 * The official TypeScript clients, v1 and v2, behind the few words that the tests need. They are loaded by a computed
 * name: the project's type check must pass where the peers are not installed, so their types are written down here.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { modulePath, type ServerCommand } from "./official-servers.ts";

/** In which servers join; a time that no working machine needs. */
const JOIN_LIMIT_MS = 60_000;

export interface PeerTool {
  readonly name: string;
  readonly [field: string]: unknown;
}

export interface PeerResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: unknown) => void;
}

export interface PeerTransport {
  readonly sessionId?: string | undefined;
  /** Of the child, for stdio. */
  readonly pid?: number | null;
  onmessage?: ((message: { id?: unknown; result?: unknown }) => void) | undefined;
  terminateSession?(): Promise<void>;
}

export interface Heard {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

type Handler = (request: Heard) => unknown;

/** What both lines of the client have in common. */
export interface RawClient {
  connect(transport: PeerTransport, options?: { timeout?: number | undefined }): Promise<void>;
  close(): Promise<void>;
  /** Told of every notification that nothing else in the client takes. */
  fallbackNotificationHandler?: (notification: Heard) => Promise<void>;
  /** By the schema of the request in v1, by its name in v2. */
  setRequestHandler(request: unknown, handler: Handler): void;
  getServerVersion(): { name: string; version: string } | undefined;
  getServerCapabilities(): { tools?: { listChanged?: boolean } } | undefined;
  /** Only v2 tells. */
  getNegotiatedProtocolVersion?(): string | undefined;
  getInstructions(): string | undefined;
  ping(): Promise<unknown>;
  listTools(page?: { cursor: string }): Promise<{ tools: PeerTool[] }>;
  callTool(params: object, ...rest: unknown[]): Promise<PeerResult>;
  listResources(page?: { cursor: string }): Promise<{ resources: readonly PeerResource[] }>;
  listResourceTemplates(page?: { cursor: string }): Promise<{ resourceTemplates: readonly object[] }>;
  readResource(params: { uri: string }): Promise<{ contents: readonly PeerContents[] }>;
  subscribeResource(params: { uri: string }): Promise<unknown>;
  unsubscribeResource(params: { uri: string }): Promise<unknown>;
  listPrompts(page?: { cursor: string }): Promise<{ prompts: readonly PeerTool[] }>;
  getPrompt(params: { name: string; arguments?: object }): Promise<{ messages: readonly object[] }>;
  complete(params: object): Promise<{ completion: { values: readonly string[] } }>;
  setLoggingLevel(level: string): Promise<unknown>;
  /** Only v2 has it, and only for the revisions without a handshake. */
  listen?(filter: object): Promise<{ close(): Promise<void> }>;
}

export interface PeerResource {
  readonly uri: string;
  readonly [field: string]: unknown;
}

export interface PeerContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}

interface Sdk {
  readonly Client: new (info: object, options: object) => RawClient;
  readonly Http: new (url: URL) => PeerTransport;
  readonly Stdio: new (command: object) => PeerTransport;
  /** What its `setRequestHandler` wants for a request of this name. */
  handlerKey(method: string): unknown;
}

/** How to reach a server: by its address, or by starting it. */
export type Target = string | ServerCommand;

export interface ConnectOptions {
  /** Told of each new list after a `list_changed`. */
  readonly onToolsChanged?: ((names: string[]) => void) | undefined;
  /** Only v2 knows another than "legacy". */
  readonly negotiation?: "legacy" | "auto" | { readonly pin: string } | undefined;
  /** What the client declares that it can be asked for. */
  readonly capabilities?: object | undefined;
  /** What it answers, by the name of the request. */
  readonly answers?: Readonly<Record<string, Handler>> | undefined;
  /** How long the greeting may take, where a program is installed before it answers; without it, what the client has set. */
  readonly limitMs?: number | undefined;
}

export class PeerClient {
  readonly raw: RawClient;
  readonly transport: PeerTransport;
  /** Results as they came, before the client looked into them. */
  readonly received: unknown[] = [];
  /** Notifications that the client took, without those of progress. */
  readonly heard: Heard[] = [];
  readonly #callsWithSchema: boolean;

  constructor(raw: RawClient, transport: PeerTransport, callsWithSchema: boolean) {
    this.raw = raw;
    this.transport = transport;
    this.#callsWithSchema = callsWithSchema;
    raw.fallbackNotificationHandler = async (notification) => void this.heard.push(notification);
  }

  async connect(limitMs?: number): Promise<void> {
    await this.raw.connect(this.transport, { timeout: limitMs });
    const deliver = this.transport.onmessage;
    this.transport.onmessage = (message) => {
      if (message.result !== undefined) this.received.push(message.result);
      deliver?.(message);
    };
  }

  async tools(): Promise<PeerTool[]> {
    return (await this.raw.listTools()).tools;
  }

  /** The tools as soon as there are so many: servers join when they are ready, and may add some after the handshake. */
  async toolsWhen(count: number): Promise<PeerTool[]> {
    let tools = await this.tools();
    for (const end = performance.now() + JOIN_LIMIT_MS; tools.length < count && performance.now() < end; ) {
      await sleep(100);
      tools = await this.tools();
    }
    return tools;
  }

  async toolNames(): Promise<string[]> {
    return (await this.tools()).map(({ name }) => name);
  }

  call(name: string, args: object = {}, options: CallOptions = {}): Promise<PeerResult> {
    const params = { name, arguments: args };
    return this.#callsWithSchema ? this.raw.callTool(params, undefined, options) : this.raw.callTool(params, options);
  }

  /**
   * The steps of a call that were told as progress. These clients drop what they read together with the result: the last step always,
   * and all of them where the machine stands still for a moment, so that it is tried again with more time.
   */
  async stepsOf(tool: string): Promise<unknown[]> {
    for (let duration = 0.3; ; duration *= 4) {
      const seen: unknown[] = [];
      const result = await this.call(tool, { duration, steps: 3 }, { onprogress: (progress) => seen.push(progress) });
      assert.match(result.content[0]?.text ?? "", /completed/);
      if (seen.length >= 2 || duration > 4) return seen;
    }
  }

  /** The result of a call as it came over the wire. */
  callRaw(name: string, args: object = {}): Promise<unknown> {
    return this.wire(() => this.call(name, args));
  }

  /** The result of any request as it came over the wire. */
  async wire(ask: (raw: RawClient) => Promise<unknown>): Promise<unknown> {
    await ask(this.raw);
    return this.received.at(-1);
  }

  /** The resources of which it was told that they changed. */
  updatesOf(uri: string): number {
    const isUpdate = ({ method, params }: Heard): boolean =>
      method === "notifications/resources/updated" && params?.["uri"] === uri;
    return this.heard.filter(isUpdate).length;
  }

  close(): Promise<void> {
    return this.raw.close();
  }
}

/** `@modelcontextprotocol/sdk`, the client that most programs have today. */
export async function connectV1(target: Target, options: ConnectOptions = {}): Promise<PeerClient> {
  const root = "@modelcontextprotocol/sdk/dist/esm/client";
  const [file, name] = transportFor(target);
  const schemas = await requestSchemas();
  return connect(target, options, true, {
    Client: await load(`${root}/index.js`, "Client"),
    Http: await load(`${root}/${file}`, name),
    Stdio: await load(`${root}/stdio.js`, "StdioClientTransport"),
    handlerKey: (method) => schemas[method],
  });
}

/** How v1 knows what it can be asked. */
async function requestSchemas(): Promise<Readonly<Record<string, unknown>>> {
  const file = "@modelcontextprotocol/sdk/dist/esm/types.js";
  return {
    "sampling/createMessage": await load(file, "CreateMessageRequestSchema"),
    "elicitation/create": await load(file, "ElicitRequestSchema"),
    "roots/list": await load(file, "ListRootsRequestSchema"),
  };
}

/** The transport of v1 that an address asks for. */
function transportFor(target: Target): readonly [file: string, name: string] {
  const url = String(target);
  if (url.startsWith("ws:")) return ["websocket.js", "WebSocketClientTransport"];
  if (url.endsWith("/sse")) return ["sse.js", "SSEClientTransport"];
  return ["streamableHttp.js", "StreamableHTTPClientTransport"];
}

/** `@modelcontextprotocol/client`, its successor. */
export async function connectV2(target: Target, options: ConnectOptions = {}): Promise<PeerClient> {
  const root = "@modelcontextprotocol/client/dist";
  return connect(target, options, false, {
    Client: await load(`${root}/index.mjs`, "Client"),
    Http: await load(`${root}/index.mjs`, "StreamableHTTPClientTransport"),
    Stdio: await load(`${root}/stdio.mjs`, "StdioClientTransport"),
    handlerKey: (method) => method,
  });
}

async function connect(target: Target, options: ConnectOptions, schema: boolean, sdk: Sdk): Promise<PeerClient> {
  const transport =
    typeof target === "string" ? new sdk.Http(new URL(target)) : new sdk.Stdio({ ...target, stderr: "ignore" });
  const { onToolsChanged, negotiation, capabilities, answers = {} } = options;
  const onChanged = (error: unknown, tools: PeerTool[] | null): void => {
    if (!error) onToolsChanged?.((tools ?? []).map(({ name }) => name));
  };
  const raw = new sdk.Client(
    { name: "peer", version: "1.0.0" },
    {
      ...(onToolsChanged ? { listChanged: { tools: { onChanged } } } : {}),
      ...(negotiation ? { versionNegotiation: { mode: negotiation } } : {}),
      ...(capabilities ? { capabilities } : {}),
    },
  );
  for (const [method, answer] of Object.entries(answers)) raw.setRequestHandler(sdk.handlerKey(method), answer);
  const client = new PeerClient(raw, transport, schema);
  await client.connect(options.limitMs);
  return client;
}

async function load<Made>(path: string, name: string): Promise<Made> {
  const module = (await import(modulePath(path))) as Record<string, unknown>;
  return module[name] as Made;
}
