/**
 * The server side of MCP for the revisions with a handshake, on whatever carries it: one conversation with one client.
 * It answers requests with message texts; who sends them, and how, is the door's business.
 */
import { isLimited } from "../../core/access.ts";
import type { Caller, CallRequest, NotificationSink, Principal } from "../../core/call.ts";
import type { Gateway } from "../../core/gateway-contract.ts";
import type { OffersGateway } from "../../core/offers.ts";
import { ZaguanError } from "../../errors.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import { memberOf } from "../../protocol/json/scan.ts";
import { membersOf } from "../../protocol/json/surgery.ts";
import {
  encodeError,
  encodeNotification,
  encodeResult,
  memberString,
  memberText,
  type RpcCall,
} from "../../protocol/json-rpc/message.ts";
import { isLogLevel } from "../../protocol/mcp/log-level.ts";
import { negotiate } from "../../protocol/mcp/versions.ts";
import { Stop, type StopSignal } from "../../stop.ts";
import { DEVICE_VERSION, deviceFailure, devicePage, deviceResult } from "./device-voice.ts";
import { errorResult, handshakeError, tellable } from "./failure.ts";
import type { OffersDesk } from "./offers.ts";
import type { Asking } from "./one-server.ts";
import { notificationSink, progressSink } from "./progress.ts";
import { RunningRequests } from "./running-requests.ts";
import { CAPABILITIES, SELF } from "./self.ts";
import { HTTP_PAGE_CHARS, toolPage, type Wording } from "./tool-pages.ts";

export interface ConversationOptions {
  readonly gateway: Gateway;
  readonly offers: OffersDesk;
  readonly door: string;
  readonly principal: Principal;
  /** Bare JSON-RPC (no session): wrong arguments are protocol errors there, and errors have HTTP statuses. */
  isBare(): boolean;
  /** A device, or who speaks for one (seed 002). */
  isDevice?(): boolean;
  report(cause: unknown): string;
}

/** What belongs to one request and not to the conversation. */
export interface RequestContext {
  readonly language: Language;
  /** Takes notifications that belong to this request (progress), before its answer. */
  readonly notify: (message: string) => void;
  /** Aborted when the caller left for good. */
  readonly signal?: StopSignal | undefined;
  /** Where a source's questions go, if the client can be asked. */
  readonly client?: Client | undefined;
}

/** The client of a conversation, which may say what it wants to hear. */
export type Client = Caller & { logLevel: string | undefined };

export interface Answer {
  /** Undefined if nothing is to be sent: the caller has cancelled. */
  readonly text: string | undefined;
  readonly error: ZaguanError | undefined;
  /** The result by itself, where many will be given the same: its bytes are worth keeping. */
  readonly shared?: Payload | undefined;
}

type Request = RpcCall & { readonly id: string };
type Method = (this: Conversation, call: Request, context: RequestContext) => Promise<Payload> | Payload;

/** One client's conversation, as a carrier sees it. */
export interface Dialogue {
  /** Answers one request; never rejects. */
  answer(call: RpcCall & { readonly id: string }, context: RequestContext): Promise<Answer>;
  notified(call: RpcCall): void;
  /** The client is gone: nobody waits for what still runs. */
  end(): void;
}

export class Conversation implements Dialogue {
  readonly #options: ConversationOptions;
  readonly #running = new RunningRequests();
  /** How to end each subscription to a resource, by its URI. */
  readonly #subscribed = new Map<string, () => void>();

  #leave: (() => void) | undefined;
  #client: Client | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /** Answers one request; never rejects. */
  async answer(call: RpcCall & { readonly id: string }, context: RequestContext): Promise<Answer> {
    try {
      const result = await (METHODS[call.method] ?? Conversation.prototype.askOffers).call(this, call, context);
      const shared = call.method === "tools/list" ? result : undefined;
      return { text: encodeResult(call.id, result), error: undefined, shared };
    } catch (cause) {
      return this.#failed(call, tellable(cause, this.#options.report), context.language);
    }
  }

  /** Takes a notification. */
  notified(call: RpcCall): void {
    if (call.method === "notifications/cancelled") this.#running.cancel(call);
  }

  /** The client is gone: nobody waits for what still runs. */
  end(): void {
    this.#running.cancelAll();
    this.#leave?.();
    for (const unsubscribe of this.#subscribed.values()) unsubscribe();
    this.#subscribed.clear();
  }

  /** Whether something that is said unasked concerns this client. */
  hears(method: string, params: Payload): boolean {
    // Who may use some tools hears nothing of what belongs to all.
    if (isLimited(this.#options.principal)) return method === TOOLS_CHANGED;
    const { uri, level } = (params.value ?? {}) as { uri?: unknown; level?: unknown };
    if (method === "notifications/resources/updated") return this.#hearsOf(String(uri));
    return method !== "notifications/message" || (this.#client?.wantsLog(level) ?? false);
  }

  #hearsOf(uri: string): boolean {
    return this.#subscribed.has(uri) && !this.#client?.ownUris?.has(uri);
  }

  initialize(call: RpcCall, context: RequestContext): Payload {
    this.#leave?.();
    this.#client = context.client;
    this.#leave = context.client && this.#options.offers.join(context.client, this.#options.principal);
    const wanted = memberString(call.text, call.members, "protocolVersion");
    const protocolVersion = negotiate(wanted ?? (this.#isDevice() ? DEVICE_VERSION : undefined));
    return Payload.ofValue({
      protocolVersion,
      capabilities: CAPABILITIES,
      serverInfo: SELF,
      instructions: say(context.language, "page.instructions"),
    });
  }

  async listTools(call: RpcCall, context: RequestContext): Promise<Payload> {
    const tools = await this.#options.gateway.listTools(this.#options.principal, context.language);
    const cursor = memberString(call.text, call.members, "cursor");
    return this.#isDevice() ? devicePage(tools, cursor) : toolPage(tools, cursor, HTTP_PAGE_CHARS, this.#wording(call));
  }

  /** Who spells `Jsonrpc` with a capital is seed 001's own program. */
  #wording({ text }: RpcCall): Wording {
    if (!memberOf(membersOf(text), "jsonrpc")) return "pascal";
    return this.#options.isBare() ? "seed" : "official";
  }

  async callTool(call: Request, context: RequestContext): Promise<Payload> {
    const running = this.#running.begin(call.id, context.signal);
    try {
      const result = await this.#options.gateway.call(this.#callOf(call, context, running));
      return this.#isDevice() ? deviceResult(result) : result;
    } catch (cause) {
      throw running.aborted ? cause : notByCaller(cause);
    } finally {
      this.#running.end(running);
    }
  }

  #callOf(call: Request, context: RequestContext, signal: StopSignal): CallRequest {
    const tool = memberString(call.text, call.members, "name");
    if (tool === undefined) throw invalid("'name' must be the name of a tool");
    const { principal, door } = this.#options;
    return {
      tool,
      args: argumentsOf(call),
      params: hasArguments(call) ? call.params : undefined,
      meta: metaOf(call),
      principal,
      door,
      language: context.language,
      signal,
      caller: context.client,
      onProgress: progressSink(call, context.notify),
      onNotification: notificationSink(context.notify),
    };
  }

  /** Prompts, resources, and what has no name here. */
  askOffers(call: Request, context: RequestContext): Promise<Payload> {
    return this.#run(call, context, (asking) => {
      const answer = this.#options.offers.answer(call, asking);
      if (!answer) throw new ZaguanError("UNKNOWN_METHOD", { params: { method: call.method.slice(0, 100) } });
      return answer;
    });
  }

  async subscribe(call: Request, context: RequestContext): Promise<Payload> {
    const uri = memberString(call.text, call.members, "uri") ?? "";
    if (this.#subscribed.has(uri)) return EMPTY_OBJECT;
    checkSubscribing(this.#client, this.#subscribed.size);
    this.#subscribed.set(uri, () => {});
    return this.#run(call, context, async (asking) => {
      const result = await this.#options.offers.subscribe(call, asking);
      const later = { ...asking, signal: new Stop() };
      this.#subscribed.set(uri, () => void this.#options.offers.unsubscribe(call, later).catch(() => {}));
      return result;
    }).catch((cause) => {
      this.#subscribed.delete(uri);
      throw cause;
    });
  }

  unsubscribe(call: Request): Payload {
    const uri = memberString(call.text, call.members, "uri") ?? "";
    this.#subscribed.get(uri)?.();
    this.#subscribed.delete(uri);
    return EMPTY_OBJECT;
  }

  /** Each source hears it with the next request that goes there. */
  setLevel(call: Request, { client }: RequestContext): Payload {
    const level = memberString(call.text, call.members, "level");
    if (!isLogLevel(level)) throw invalid("'level' must be one of MCP's log levels");
    if (client) client.logLevel = level;
    return EMPTY_OBJECT;
  }

  async #run(call: Request, context: RequestContext, work: (asking: Asking) => Promise<Payload>): Promise<Payload> {
    const { principal } = this.#options;
    const { language, client } = context;
    const signal = this.#running.begin(call.id, context.signal);
    try {
      return await work({ principal, language, signal, caller: client, notify: context.notify });
    } catch (cause) {
      throw signal.aborted ? cause : notByCaller(cause);
    } finally {
      this.#running.end(signal);
    }
  }

  #isDevice(): boolean {
    return this.#options.isDevice?.() ?? false;
  }

  #failed({ id, method }: Request, error: ZaguanError, language: Language): Answer {
    if (error.code === "CANCELLED") return { text: undefined, error };
    const told = method === "tools/call" && this.#isDevice() ? deviceFailure(error, language) : undefined;
    if (told) return { text: encodeResult(id, told), error: undefined };
    // The official revisions want the model to see what was wrong with its arguments.
    if (error.code === "INVALID_ARGUMENT" && !this.#options.isBare()) {
      return { text: encodeResult(id, errorResult(error, language)), error: undefined };
    }
    return { text: encodeError(id, handshakeError(error, language, this.#options.isBare())), error };
  }
}

const TOOLS_CHANGED = "notifications/tools/list_changed";

const METHODS: Readonly<Record<string, Method>> = Object.assign(Object.create(null), {
  initialize: Conversation.prototype.initialize,
  ping: () => EMPTY_OBJECT,
  "tools/list": Conversation.prototype.listTools,
  "tools/call": Conversation.prototype.callTool,
  "resources/subscribe": Conversation.prototype.subscribe,
  "resources/unsubscribe": Conversation.prototype.unsubscribe,
  "logging/setLevel": Conversation.prototype.setLevel,
});

/** The message that says something unasked. */
export function unaskedText(method: string, params: Payload): string {
  return encodeNotification(method, params === EMPTY_OBJECT ? undefined : params.text);
}

/** What the hub says unasked; the returned function ends it. */
export function onUnasked(
  { gateway, offers }: { readonly gateway: Gateway; readonly offers: OffersGateway },
  listener: NotificationSink,
): () => void {
  const stops = [
    gateway.onToolsChanged(() => listener("notifications/tools/list_changed", EMPTY_OBJECT)),
    offers.onNotification(listener),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

export function argumentsOf(call: RpcCall): Payload {
  const member = memberOf(call.members, "arguments");
  const text = memberText(call.text, call.members, "arguments");
  if (!member || text === undefined) return EMPTY_OBJECT;
  if (member.kind !== "object") throw invalid("'arguments' must be an object");
  return Payload.ofText(text, member.members);
}

const MOST_SUBSCRIPTIONS = 1_000;

/** Who has no session could never be told, nor be seen to leave. */
export function checkSubscribing(client: Caller | undefined, already: number): void {
  const reason = client ? `at most ${MOST_SUBSCRIPTIONS} resources can be subscribed to` : "it needs a session";
  if (!client || already >= MOST_SUBSCRIPTIONS) throw new ZaguanError("BAD_REQUEST", { params: { reason } });
}

/** Some clients send null, and some servers want an object. */
export function hasArguments(call: RpcCall): boolean {
  return memberOf(call.members, "arguments")?.kind === "object";
}

export function metaOf(call: RpcCall): Payload | undefined {
  const text =
    memberOf(call.members, "_meta")?.kind === "object" ? memberText(call.text, call.members, "_meta") : undefined;
  return text === undefined ? undefined : Payload.ofText(text);
}

/** Only the caller's own cancellation goes unanswered; if the hub ended the call, the caller is told. */
export function notByCaller(cause: unknown): unknown {
  if (!(cause instanceof ZaguanError) || cause.code !== "CANCELLED") return cause;
  const params = { source: "zaguan", reason: "it is closing" };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: cause.delivery ?? "unknown" });
}

function invalid(reason: string): ZaguanError {
  return new ZaguanError("INVALID_PARAMS", { params: { reason } });
}
