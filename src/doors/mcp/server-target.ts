/**
 * One server behind the hub as a target of MCP clients: what it says of itself, its tools, and any other request, passed on
 * with the characters it was written in. Sources that speak no MCP are given the same face from what the hub knows of them.
 */
import { isLimited } from "../../core/access.ts";
import type { Caller, NotificationSink, Principal, ToolDefinition } from "../../core/call.ts";
import type { Gateway, Servers } from "../../core/gateway.ts";
import { ZaguanError } from "../../errors.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import { memberOf } from "../../protocol/json/scan.ts";
import { memberString, type RpcCall } from "../../protocol/json-rpc/message.ts";
import type { ServerFace } from "../../protocol/mcp/face.ts";
import { VERSION } from "../../version.ts";
import type { Asker, McpTarget, Subscription } from "./target.ts";
import { argumentsOf, notificationSink, progressSink, toolNameOf } from "./tool-call.ts";
import { HTTP_PAGE_CHARS, toolPage } from "./tool-pages.ts";

/** They concern our own connection with the client, not the one with the server. */
const OURS: readonly string[] = ["notifications/initialized", "notifications/cancelled"];

interface ServerTargetOptions {
  readonly servers: Servers;
  /** For the log. */
  readonly door: string;
  watch(source: string, listener: NotificationSink): () => void;
}

export class ServerTarget implements McpTarget {
  /** The source's name. */
  readonly scope: string;
  readonly verbatim = true;
  readonly #options: ServerTargetOptions;
  readonly #gateway: Gateway;
  readonly #ownFace: ServerFace;

  constructor(source: string, options: ServerTargetOptions) {
    this.scope = source;
    this.#options = options;
    this.#gateway = options.servers.through(source);
    this.#ownFace = ownFace(source);
  }

  faceNow({ principal, caller }: Asker): ServerFace | undefined {
    this.#checkReachable(principal);
    // To a client that can be asked, the server may say something else on a connection of its own.
    const now = caller?.canBeAsked ? undefined : this.#options.servers.faceNow(this.scope);
    return now && (now.face ?? this.#ownFace);
  }

  async face({ principal, caller, signal }: Asker): Promise<ServerFace> {
    this.#checkReachable(principal);
    return (await this.#options.servers.face(this.scope, signal, { caller, principal })) ?? this.#ownFace;
  }

  findTool(principal: Principal, name: string): ToolDefinition | undefined {
    return this.#gateway.findTool(principal, name);
  }

  /** The server's own list, unless there is no such thing or this principal may not see all of it. */
  async listTools(call: RpcCall, by: Asker): Promise<Payload> {
    const { principal, language } = by;
    if (!isLimited(principal) && (await this.#speaksMcp(by))) return this.request(call, by);
    const tools = await this.#gateway.listTools(principal, language);
    return toolPage(tools, memberString(call.text, call.members, "cursor"), HTTP_PAGE_CHARS);
  }

  /** Nothing waits while the source is up. */
  callTool(call: RpcCall, by: Asker): Promise<Payload> {
    const now = this.#options.servers.faceNow(this.scope);
    if (now) return this.#call(call, by, now.face !== undefined);
    return this.#speaksMcp(by).then((unchecked) => this.#call(call, by, unchecked));
  }

  request(call: RpcCall, by: Asker): Promise<Payload> {
    const { method, params } = call;
    return this.#options.servers.pass({ ...this.#circumstances(call, by), source: this.scope, method, params });
  }

  async subscribe(uri: string, call: RpcCall, by: Asker): Promise<Subscription> {
    const { servers, door } = this.#options;
    const source = this.scope;
    const { principal, language, caller } = by;
    const asked = { ...this.#circumstances(call, by), source, method: "resources/subscribe", params: call.params };
    const result = await servers.subscribe(asked, uri);
    const params = Payload.ofValue({ uri });
    const method = "resources/unsubscribe";
    const end = () => servers.unsubscribe({ source, method, params, principal, language, caller, door }, uri);
    return { result, end };
  }

  join(caller: Caller, principal: Principal): () => void {
    return this.#options.servers.join(this.scope, caller, principal);
  }

  notified({ method, params }: RpcCall, principal: Principal, caller: Caller | undefined): void {
    if (!OURS.includes(method)) this.#options.servers.tell(this.scope, method, params, principal, caller);
  }

  watch(listener: NotificationSink): () => void {
    return this.#options.watch(this.scope, listener);
  }

  /** @param unchecked where the server is to judge the arguments itself, in its own words */
  #call(call: RpcCall, by: Asker, unchecked: boolean): Promise<Payload> {
    const tool = toolNameOf(call);
    const args = memberOf(call.members, "arguments")?.kind === "object" ? argumentsOf(call) : EMPTY_OBJECT;
    const params = unchecked ? call.params : undefined;
    return this.#gateway.call({ ...this.#circumstances(call, by), tool, args, unchecked, params });
  }

  #circumstances(call: RpcCall, { principal, language, signal, caller, notify }: Asker) {
    const told = { onProgress: progressSink(call, notify), onNotification: notificationSink(notify) };
    return { principal, language, signal, caller, door: this.#options.door, ...told };
  }

  async #speaksMcp({ signal }: Asker): Promise<boolean> {
    return (await this.#options.servers.face(this.scope, signal)) !== undefined;
  }

  #checkReachable(principal: Principal): void {
    if (!this.#options.servers.isReachable(this.scope, principal)) throw noSuchServer(this.scope);
  }
}

function ownFace(source: string): ServerFace {
  const capabilities = { tools: { listChanged: true } };
  const serverInfo = { name: source, version: VERSION };
  return { capabilities, serverInfo, instructions: undefined, greeting: undefined, discovery: undefined };
}

export function noSuchServer(source: string): ZaguanError {
  return new ZaguanError("NOT_FOUND", { params: { path: `/servers/${source.slice(0, 64)}` } });
}
