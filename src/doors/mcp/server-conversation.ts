/**
 * One conversation with one client about one server, for the revisions with a handshake. The server passes through as
 * untouched as can be: its own greeting, names, lists, results and errors. Only ids and progress tokens are exchanged.
 */
import { isLimited } from "../../core/access.ts";
import type { Caller, Principal } from "../../core/call.ts";
import type { ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import { EMPTY_OBJECT, type Payload } from "../../protocol/json/payload.ts";
import {
  encodeError,
  encodeErrorText,
  encodeResult,
  memberString,
  type RpcCall,
} from "../../protocol/json-rpc/message.ts";
import { initializeResult } from "../../protocol/mcp/face.ts";
import { negotiate } from "../../protocol/mcp/versions.ts";
import { VERSION } from "../../version.ts";
import { type Answer, checkSubscribing, type Dialogue, type RequestContext } from "./conversation.ts";
import { handshakeError, tellable } from "./failure.ts";
import type { Asking, OneServer } from "./one-server.ts";
import { RunningRequests } from "./running-requests.ts";

export interface ServerConversationOptions {
  readonly server: OneServer;
  readonly principal: Principal;
  /** Bare JSON-RPC: errors have the numbers of the bridge there. */
  isBare(): boolean;
  report(cause: unknown): string;
}

type Request = RpcCall & { readonly id: string };

/** They concern our own connection with the client, not the one with the server. */
const OURS: readonly string[] = ["notifications/initialized", "notifications/cancelled"];

export class ServerConversation implements Dialogue {
  readonly #options: ServerConversationOptions;
  readonly #running = new RunningRequests();
  /** Resources that this client wants to hear of. */
  readonly #subscribed = new Set<string>();
  #leave: (() => void) | undefined;
  #client: Caller | undefined;

  constructor(options: ServerConversationOptions) {
    this.#options = options;
  }

  get source(): string {
    return this.#options.server.source;
  }

  /** Whether something that a server says unasked concerns this client. */
  hears(source: string, method: string, params: Payload): boolean {
    if (source !== this.source) return false;
    if (isLimited(this.#options.principal)) return method === "notifications/tools/list_changed";
    const { uri, level } = (params.value ?? {}) as { uri?: unknown; level?: unknown };
    if (method === "notifications/resources/updated") return this.#hearsOf(String(uri));
    return method !== "notifications/message" || (this.#client?.wantsLog(level) ?? false);
  }

  #hearsOf(uri: string): boolean {
    return this.#subscribed.has(uri) && !this.#client?.ownUris?.has(uri);
  }

  async answer(call: Request, context: RequestContext): Promise<Answer> {
    const signal = this.#running.begin(call.id, context.signal);
    const { principal } = this.#options;
    const { language, notify, client: caller } = context;
    const asking = { principal, language, notify, signal, caller };
    try {
      const result = await this.#respond(call, asking, context);
      return { text: encodeResult(call.id, result), error: undefined };
    } catch (cause) {
      const error = tellable(cause, this.#options.report);
      if (error.code === "CANCELLED" && signal.aborted) return { text: undefined, error };
      return { text: this.#untouched(call.id, error, context.language), error };
    } finally {
      this.#running.end(signal);
    }
  }

  notified(call: RpcCall): void {
    if (call.method === "notifications/cancelled") this.#running.cancel(call);
    if (!OURS.includes(call.method)) this.#tell(call);
  }

  #tell({ method, params }: RpcCall): void {
    const { server, principal } = this.#options;
    server.tell(method, params, principal, this.#client);
  }

  /** Nobody waits for its subscriptions to end; a server that cannot be told has forgotten by itself. */
  end(): void {
    this.#running.cancelAll();
    const { server, principal } = this.#options;
    const asking = { principal, language: "en", caller: this.#client } as const;
    // First: with a connection of its own, all that was subscribed there is gone.
    this.#leave?.();
    for (const uri of this.#subscribed) server.unsubscribe(uri, asking).catch(() => {});
    this.#subscribed.clear();
  }

  #respond(call: Request, asking: Asking, context: RequestContext): Promise<Payload> {
    const { server } = this.#options;
    switch (call.method) {
      case "ping":
        return Promise.resolve(EMPTY_OBJECT);
      case "initialize":
        return this.#initialize(call, asking);
      case "tools/list":
        return server.listTools(call, asking);
      case "tools/call":
        return server.callTool(call, asking);
      case "resources/subscribe":
        return this.#subscribe(call, asking);
      case "resources/unsubscribe":
        return this.#unsubscribe(call, asking);
      case "logging/setLevel":
        return this.#setLevel(call, asking, context);
      default:
        return server.pass(call, asking);
    }
  }

  async #initialize(call: Request, { caller, signal }: Asking): Promise<Payload> {
    const { server } = this.#options;
    const version = negotiate(memberString(call.text, call.members, "protocolVersion"));
    const { principal } = this.#options;
    this.#leave?.();
    this.#leave = caller && server.join(caller, principal);
    this.#client = caller;
    const face = await server.face(signal, principal, caller);
    return initializeResult(face, version, { name: server.source, version: VERSION });
  }

  async #subscribe(call: Request, asking: Asking): Promise<Payload> {
    const { server } = this.#options;
    const uri = memberString(call.text, call.members, "uri");
    if (uri === undefined || this.#subscribed.has(uri)) return server.pass(call, asking);
    checkSubscribing(this.#client, this.#subscribed.size);
    this.#subscribed.add(uri);
    return server.subscribe(call, asking, uri).catch((cause) => {
      this.#subscribed.delete(uri);
      throw cause;
    });
  }

  #unsubscribe(call: Request, asking: Asking): Promise<Payload> {
    const { server } = this.#options;
    const uri = memberString(call.text, call.members, "uri") ?? "";
    return this.#subscribed.delete(uri) ? server.unsubscribe(uri, asking) : server.pass(call, asking);
  }

  /** Others talk to the same server: what it says louder than this client wants is kept from it. */
  async #setLevel(call: Request, asking: Asking, { client }: RequestContext): Promise<Payload> {
    const result = await this.#options.server.pass(call, asking);
    if (client) client.logLevel = memberString(call.text, call.members, "level");
    return result;
  }

  /** A server's own error goes on with its number, its words and its data. */
  #untouched(id: string, error: ZaguanError, language: Language): string {
    const { relayed } = error.details;
    if (!relayed) return encodeError(id, handshakeError(error, language, this.#options.isBare()));
    const { text, code, message, data } = relayed;
    return text === undefined ? encodeError(id, { code, message, data }) : encodeErrorText(id, text);
  }
}
