/**
 * The client side of MCP over any link, for the revisions with a handshake: initialize, lists in pages, calls, progress,
 * cancellation. Used by every kind of source that speaks official MCP.
 */

import type { ToolDefinition } from "../core/call.ts";
import { ZaguanError } from "../errors.ts";
import type { Payload } from "../protocol/json/payload.ts";
import type { ScanLimits } from "../protocol/json/scan.ts";
import { RpcPeer } from "../protocol/json-rpc/peer.ts";
import { swapProgressToken } from "../protocol/mcp/progress-token.ts";
import { isHandshakeVersion, LATEST_HANDSHAKE_VERSION } from "../protocol/mcp/versions.ts";
import { NAME, VERSION } from "../version.ts";
import type { ConnectContext, SourceRequest } from "./source.ts";

/** Endless pages are a fault of the server, not a reason to never answer. */
const MAX_PAGES = 200;
const MAX_TOOLS = 20_000;

/** What we can pass on to clients; whether the client at hand can do it, it is asked when it comes to that. */
const CAPABILITIES = { sampling: {}, elicitation: {}, roots: { listChanged: true } };

/** What a source may send: wider than what a stranger may, since results are passed on and not looked into. */
export const SOURCE_LIMITS: ScanLimits = { depth: 64, elements: 1_000_000 };

export class McpClient {
  readonly peer: RpcPeer;
  /** Takes what is neither an answer nor a notification. */
  onNoise: (line: string) => void;
  /** What the server answered to `initialize`. */
  greeting: Payload | undefined;
  readonly #context: ConnectContext;

  constructor(context: ConnectContext, send: (message: string, signal?: AbortSignal) => Promise<void>) {
    this.#context = context;
    this.onNoise = (line) => context.emit({ type: "source-noise", source: context.name, line });
    this.peer = new RpcPeer({
      name: context.name,
      limits: SOURCE_LIMITS,
      send,
      onRequest: (method, params) => context.onRequest(method, params),
      onNotification: (method, params) => this.#notified(method, params),
      onNoise: (line) => this.onNoise(line),
    });
  }

  /** Resolves with the version agreed on. */
  async initialize(signal: AbortSignal): Promise<string> {
    const params = JSON.stringify({
      protocolVersion: LATEST_HANDSHAKE_VERSION,
      capabilities: CAPABILITIES,
      clientInfo: { name: NAME, version: VERSION },
    });
    const result = await this.peer.request("initialize", () => params, { signal, cancellable: false });
    const version = (result.value as { protocolVersion?: unknown } | null)?.protocolVersion;
    this.greeting = result;
    if (!isHandshakeVersion(version))
      throw this.#refuse(`it speaks an unknown protocol version: ${String(version).slice(0, 40)}`);
    return version;
  }

  initialized(): void {
    this.peer.notify("notifications/initialized");
  }

  async listTools(signal: AbortSignal): Promise<readonly ToolDefinition[]> {
    const tools: ToolDefinition[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page++) {
      const params = cursor === undefined ? "{}" : JSON.stringify({ cursor });
      const result = (await this.peer.request("tools/list", () => params, { signal })).value as ToolPage;
      for (const tool of Array.isArray(result?.tools) ? result.tools : []) if (isTool(tool)) tools.push(tool);
      if (typeof result?.nextCursor !== "string" || result.nextCursor === cursor) return tools;
      cursor = result.nextCursor;
    }
    return tools;
  }

  request(request: SourceRequest): Promise<Payload> {
    const { signal, onProgress } = request;
    return this.peer.request(request.method, (id) => callParams(request, id), { signal, onProgress });
  }

  #notified(method: string, params: Payload): void {
    if (method === "notifications/tools/list_changed") this.#context.onToolsChanged();
    this.#context.onNotification(method, params);
  }

  #refuse(reason: string): ZaguanError {
    return new ZaguanError("SOURCE_UNAVAILABLE", {
      params: { source: this.#context.name, reason },
      delivery: "not_sent",
    });
  }
}

interface ToolPage {
  readonly tools?: unknown;
  readonly nextCursor?: unknown;
}

/** A tool without a usable name or schema cannot be offered; one bad tool does not spoil the others. */
function isTool(tool: unknown): tool is ToolDefinition {
  const { name, inputSchema } = (tool ?? {}) as Partial<ToolDefinition>;
  return (
    typeof name === "string" &&
    name !== "" &&
    name.length <= 256 &&
    typeof inputSchema === "object" &&
    inputSchema !== null
  );
}

function callParams(request: SourceRequest, id: number): string {
  if (request.params) return swapProgressToken(request.params.text, id);
  const meta = metaText(request, id);
  const tail = meta === undefined ? "" : `,"_meta":${meta}`;
  return `{"name":${JSON.stringify(request.name)},"arguments":${request.args.text}${tail}}`;
}

/** The caller's `_meta` goes on, but towards the source the progress token is our own id. */
function metaText({ meta, onProgress }: SourceRequest, id: number): string | undefined {
  if (!meta) return onProgress ? `{"progressToken":${id}}` : undefined;
  const { progressToken: _, ...rest } = meta.value as Record<string, unknown>;
  return JSON.stringify(onProgress ? { ...rest, progressToken: id } : rest);
}
