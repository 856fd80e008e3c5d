/**
 * The official TypeScript clients, v1 and v2, behind the few words that the tests need. They are loaded by a computed
 * name: the project's type check must pass where the peers are not installed, so their types are written down here.
 */
import { modulePath, type ServerCommand } from "./official-servers.ts";

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

interface RawClient {
  connect(transport: PeerTransport): Promise<void>;
  close(): Promise<void>;
  getServerVersion(): { name: string; version: string } | undefined;
  getServerCapabilities(): { tools?: { listChanged?: boolean } } | undefined;
  /** Only v2 tells. */
  getNegotiatedProtocolVersion?(): string | undefined;
  getInstructions(): string | undefined;
  ping(): Promise<unknown>;
  listTools(): Promise<{ tools: PeerTool[] }>;
  callTool(params: object, ...rest: unknown[]): Promise<PeerResult>;
}

interface Sdk {
  readonly Client: new (info: object, options: object) => RawClient;
  readonly Http: new (url: URL) => PeerTransport;
  readonly Stdio: new (command: object) => PeerTransport;
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
}

export class PeerClient {
  readonly raw: RawClient;
  readonly transport: PeerTransport;
  /** Results as they came, before the client looked into them. */
  readonly received: unknown[] = [];
  readonly #callsWithSchema: boolean;

  constructor(raw: RawClient, transport: PeerTransport, callsWithSchema: boolean) {
    this.raw = raw;
    this.transport = transport;
    this.#callsWithSchema = callsWithSchema;
  }

  async connect(): Promise<void> {
    await this.raw.connect(this.transport);
    const deliver = this.transport.onmessage;
    this.transport.onmessage = (message) => {
      if (message.result !== undefined) this.received.push(message.result);
      deliver?.(message);
    };
  }

  async tools(): Promise<PeerTool[]> {
    return (await this.raw.listTools()).tools;
  }

  async toolNames(): Promise<string[]> {
    return (await this.tools()).map(({ name }) => name);
  }

  call(name: string, args: object = {}, options: CallOptions = {}): Promise<PeerResult> {
    const params = { name, arguments: args };
    return this.#callsWithSchema ? this.raw.callTool(params, undefined, options) : this.raw.callTool(params, options);
  }

  /** The result of a call as it came over the wire. */
  async callRaw(name: string, args: object = {}): Promise<unknown> {
    await this.call(name, args);
    return this.received.at(-1);
  }

  close(): Promise<void> {
    return this.raw.close();
  }
}

/** `@modelcontextprotocol/sdk`, the client that most programs have today. */
export async function connectV1(target: Target, options: ConnectOptions = {}): Promise<PeerClient> {
  const root = "@modelcontextprotocol/sdk/dist/esm/client";
  const [file, name] = transportFor(target);
  return connect(target, options, true, {
    Client: await load(`${root}/index.js`, "Client"),
    Http: await load(`${root}/${file}`, name),
    Stdio: await load(`${root}/stdio.js`, "StdioClientTransport"),
  });
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
  });
}

async function connect(target: Target, options: ConnectOptions, schema: boolean, sdk: Sdk): Promise<PeerClient> {
  const transport =
    typeof target === "string" ? new sdk.Http(new URL(target)) : new sdk.Stdio({ ...target, stderr: "ignore" });
  const { onToolsChanged, negotiation, capabilities } = options;
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
  const client = new PeerClient(raw, transport, schema);
  await client.connect();
  return client;
}

async function load<Made>(path: string, name: string): Promise<Made> {
  const module = (await import(modulePath(path))) as Record<string, unknown>;
  return module[name] as Made;
}
