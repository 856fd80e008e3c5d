/**
 * One server behind the hub, as every conversation about it sees it, of whichever era: what it says of itself, its tools,
 * and any other request, passed on with the characters it was written in. Sources that speak no MCP are given the same
 * face from what the hub knows of them.
 */
import { isLimited } from "../../core/access.ts";
import type { Caller, Manner, PassRequest, Principal, ToolDefinition } from "../../core/call.ts";
import type { Gateway, Servers } from "../../core/gateway-contract.ts";
import { ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import { memberOf } from "../../protocol/json/scan.ts";
import { memberString, memberText, type RpcCall } from "../../protocol/json-rpc/message.ts";
import type { ServerFace } from "../../protocol/mcp/face.ts";
import type { StopSignal } from "../../stop.ts";
import { VERSION } from "../../version.ts";
import { notificationSink, progressSink } from "./progress.ts";
import { HTTP_PAGE_CHARS, toolPage } from "./tool-pages.ts";

/** Who asks, and where what belongs to the request goes. */
export interface Asking {
  readonly principal: Principal;
  readonly language: Language;
  readonly signal: StopSignal;
  readonly caller: Caller | undefined;
  readonly manner?: Manner | undefined;
  /** Takes messages that belong to this request, before its answer. */
  notify(message: string): void;
}

export class OneServer {
  readonly source: string;
  readonly #servers: Servers;
  readonly #gateway: Gateway;
  readonly #door: string;

  constructor(servers: Servers, source: string, door: string) {
    if (!servers.has(source)) throw notHere(source);
    this.source = source;
    this.#servers = servers;
    this.#gateway = servers.through(source);
    this.#door = door;
  }

  /** What it says of itself, or what we say of it; to those who may use any of it. */
  async face(signal: StopSignal, principal: Principal, caller?: Caller): Promise<ServerFace> {
    if (!this.#servers.isReachable(this.source, principal)) throw notHere(this.source);
    return (await this.#servers.face(this.source, signal, { caller, principal })) ?? ownFace(this.source);
  }

  findTool(principal: Principal, name: string): ToolDefinition | undefined {
    return this.#gateway.findTool(principal, name);
  }

  onNotification(listener: (method: string, params: Payload) => void): () => void {
    return this.#servers.onNotification((source, method, params) => {
      if (source === this.source) listener(method, params);
    });
  }

  join(caller: Caller, principal: Principal): () => void {
    return this.#servers.join(this.source, caller, principal);
  }

  tell(method: string, params: Payload, principal: Principal, caller: Caller | undefined): void {
    this.#servers.tell(this.source, method, params, principal, caller);
  }

  /** The server's own list, unless there is no such thing or this principal may not see all of it. */
  async listTools(call: RpcCall, asking: Asking): Promise<Payload> {
    const { principal, language, signal } = asking;
    if (!isLimited(principal) && (await this.#speaksMcp(signal))) return this.pass(call, asking);
    const tools = await this.#gateway.listTools(principal, language);
    return toolPage(tools, memberString(call.text, call.members, "cursor"), HTTP_PAGE_CHARS);
  }

  async callTool(call: RpcCall, asking: Asking): Promise<Payload> {
    const tool = memberString(call.text, call.members, "name");
    if (tool === undefined) throw invalid("'name' must be the name of a tool");
    const isObject = memberOf(call.members, "arguments")?.kind === "object";
    const args = isObject ? memberText(call.text, call.members, "arguments") : undefined;
    const unchecked = await this.#speaksMcp(asking.signal);
    return this.#gateway.call({
      ...this.#circumstances(call, asking),
      ...{ tool, unchecked, params: unchecked ? call.params : undefined },
      args: args === undefined ? EMPTY_OBJECT : Payload.ofText(args),
    });
  }

  pass(call: RpcCall, asking: Asking): Promise<Payload> {
    return this.#servers.pass(this.#request(call.method, call.params, this.#circumstances(call, asking)));
  }

  subscribe(call: RpcCall, asking: Asking, uri: string): Promise<Payload> {
    const { params } = call;
    const request = this.#request("resources/subscribe", params, this.#circumstances(call, asking));
    return this.#servers.subscribe(request, uri);
  }

  unsubscribe(uri: string, asking: Pick<Asking, "principal" | "language" | "caller">): Promise<Payload> {
    const { principal, language, caller } = asking;
    const circumstances = { principal, language, caller, door: this.#door };
    return this.#servers.unsubscribe(
      this.#request("resources/unsubscribe", Payload.ofValue({ uri }), circumstances),
      uri,
    );
  }

  #request(method: string, params: Payload, rest: Omit<PassRequest, "source" | "method" | "params">): PassRequest {
    return { ...rest, source: this.source, method, params };
  }

  #circumstances(call: RpcCall, { principal, language, signal, caller, notify }: Asking) {
    const told = { onProgress: progressSink(call, notify), onNotification: notificationSink(notify) };
    return { principal, language, signal, caller, door: this.#door, ...told };
  }

  async #speaksMcp(signal: StopSignal): Promise<boolean> {
    return (await this.#servers.face(this.source, signal)) !== undefined;
  }
}

function ownFace(source: string): ServerFace {
  const capabilities = { tools: { listChanged: true } };
  const serverInfo = { name: source, version: VERSION };
  return { capabilities, serverInfo, instructions: undefined, greeting: undefined, discovery: undefined };
}

function notHere(source: string): ZaguanError {
  return new ZaguanError("NOT_FOUND", { params: { path: `/servers/${source.slice(0, 64)}` } });
}

function invalid(reason: string): ZaguanError {
  return new ZaguanError("INVALID_PARAMS", { params: { reason } });
}
