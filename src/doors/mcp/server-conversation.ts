/**
 * One conversation with one client about one server, which passes through as untouched as can be: the server's own
 * greeting, names, lists, results and errors, with the characters it wrote them in. Only ids and progress tokens are
 * exchanged. Sources that speak no MCP are given the same face from what the hub knows of them.
 */
import type { Principal } from "../../core/call.ts";
import type { Gateway, Servers } from "../../core/gateway-contract.ts";
import { ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import { memberOf } from "../../protocol/json/scan.ts";
import { encodeError, encodeResult, memberString, memberText, type RpcCall } from "../../protocol/json-rpc/message.ts";
import { negotiate } from "../../protocol/mcp/versions.ts";
import { NAME, VERSION } from "../../version.ts";
import type { Answer, Dialogue, RequestContext } from "./conversation.ts";
import { rpcError, tellable } from "./failure.ts";
import { progressSink } from "./progress.ts";
import { RunningRequests } from "./running-requests.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { HTTP_PAGE_CHARS, toolPage } from "./tool-pages.ts";

export interface ServerConversationOptions {
  readonly source: string;
  readonly servers: Servers;
  /** The hub seen through this one server. */
  readonly gateway: Gateway;
  readonly principal: Principal;
  readonly door: string;
  /** Shared by all conversations about servers. */
  readonly subscriptions: Subscriptions;
  report(cause: unknown): string;
}

type Request = RpcCall & { readonly id: string };

export class ServerConversation implements Dialogue {
  readonly #options: ServerConversationOptions;
  readonly #running = new RunningRequests();
  /** Resources that this client wants to hear of. */
  readonly #subscribed = new Set<string>();

  constructor(options: ServerConversationOptions) {
    this.#options = options;
  }

  get source(): string {
    return this.#options.source;
  }

  get principalId(): string {
    return this.#options.principal.id;
  }

  get isWaiting(): boolean {
    return this.#running.size > 0;
  }

  isSubscribedTo(uri: string): boolean {
    return this.#subscribed.has(uri);
  }

  async answer(call: Request, context: RequestContext): Promise<Answer> {
    const controller = this.#running.begin(call.id, context.signal);
    try {
      const result = await this.#respond(call, context, controller.signal);
      return { text: encodeResult(call.id, result), error: undefined };
    } catch (cause) {
      const error = tellable(cause, this.#options.report);
      if (error.code === "CANCELLED" && controller.signal.aborted) return { text: undefined, error };
      return { text: encodeError(call.id, untouchedError(error, context.language)), error };
    } finally {
      this.#running.end(call.id, controller);
    }
  }

  notified(call: RpcCall): void {
    if (call.method === "notifications/cancelled") this.#running.cancel(call);
  }

  end(): void {
    this.#running.cancelAll();
    for (const uri of this.#subscribed) if (this.#options.subscriptions.drop(this.source, uri)) this.#forget(uri);
    this.#subscribed.clear();
  }

  /** Nobody waits for this; a server that cannot be told has forgotten by itself. */
  #forget(uri: string): void {
    const { servers, source, principal, door } = this.#options;
    const params = Payload.ofValue({ uri });
    servers.pass({ source, method: "resources/unsubscribe", params, principal, language: "en", door }).catch(() => {});
  }

  #respond(call: Request, context: RequestContext, signal: AbortSignal): Promise<Payload> {
    switch (call.method) {
      case "ping":
        return Promise.resolve(EMPTY_OBJECT);
      case "initialize":
        return this.#initialize(call, signal);
      case "tools/list":
        return this.#listTools(call, context, signal);
      case "tools/call":
        return this.#callTool(call, context, signal);
      case "resources/subscribe":
        return this.#subscribe(call, context, signal);
      case "resources/unsubscribe":
        return this.#unsubscribe(call, context, signal);
      default:
        return this.#pass(call, context, signal);
    }
  }

  async #initialize(call: Request, signal: AbortSignal): Promise<Payload> {
    const { source, servers } = this.#options;
    const protocolVersion = negotiate(memberString(call.text, call.members, "protocolVersion"));
    const greeting = (await servers.greeting(source, signal))?.value as object | undefined;
    const own = {
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: source, title: NAME, version: VERSION },
    };
    return Payload.ofValue({ ...(greeting ?? own), protocolVersion });
  }

  /** The server's own list, unless there is no such thing or this principal may not see all of it. */
  async #listTools(call: Request, context: RequestContext, signal: AbortSignal): Promise<Payload> {
    const { gateway, principal } = this.#options;
    if (!principal.allow && (await this.#speaksMcp(signal))) return this.#pass(call, context, signal);
    const tools = await gateway.listTools(principal, context.language);
    return toolPage(tools, memberString(call.text, call.members, "cursor"), HTTP_PAGE_CHARS);
  }

  async #callTool(call: Request, context: RequestContext, signal: AbortSignal): Promise<Payload> {
    const tool = memberString(call.text, call.members, "name");
    if (tool === undefined)
      throw new ZaguanError("INVALID_PARAMS", { params: { reason: "'name' must be the name of a tool" } });
    const { gateway, principal, door } = this.#options;
    const args =
      memberOf(call.members, "arguments")?.kind === "object"
        ? memberText(call.text, call.members, "arguments")
        : undefined;
    return gateway.call({
      tool,
      args: args === undefined ? EMPTY_OBJECT : Payload.ofText(args),
      params: (await this.#speaksMcp(signal)) ? call.params : undefined,
      principal,
      language: context.language,
      door,
      signal,
      caller: context.client,
      onProgress: progressSink(call, (message) => context.notify(message)),
    });
  }

  async #subscribe(call: Request, context: RequestContext, signal: AbortSignal): Promise<Payload> {
    const result = await this.#pass(call, context, signal);
    const uri = memberString(call.text, call.members, "uri");
    if (uri === undefined || this.#subscribed.has(uri)) return result;
    this.#subscribed.add(uri);
    this.#options.subscriptions.add(this.source, uri);
    return result;
  }

  /** As long as another client listens, the server must go on telling. */
  async #unsubscribe(call: Request, context: RequestContext, signal: AbortSignal): Promise<Payload> {
    const uri = memberString(call.text, call.members, "uri") ?? "";
    const wasOurs = this.#subscribed.delete(uri);
    const isLast = !wasOurs || this.#options.subscriptions.drop(this.source, uri);
    return isLast ? this.#pass(call, context, signal) : EMPTY_OBJECT;
  }

  #pass(call: Request, context: RequestContext, signal: AbortSignal): Promise<Payload> {
    const { servers, source, principal, door } = this.#options;
    const { method, params } = call;
    const { language } = context;
    return servers.pass({
      source,
      method,
      params,
      principal,
      language,
      door,
      signal,
      caller: context.client,
      onProgress: progressSink(call, (message) => context.notify(message)),
    });
  }

  async #speaksMcp(signal: AbortSignal): Promise<boolean> {
    return (await this.#options.servers.greeting(this.#options.source, signal)) !== undefined;
  }
}

/** A server's own error goes on with its number, its words and its data. */
function untouchedError(error: ZaguanError, language: Language) {
  const { relayed } = error.details;
  return relayed ? { code: relayed.code, message: relayed.message, data: relayed.data } : rpcError(error, language);
}
