/**
 * The codec of the revisions with a handshake (2024-11-05 to 2025-11-25): what one client says to one target, on whatever
 * carries it. It answers requests with message texts; who sends them, and how, is the carrier's business.
 */
import { isLimited } from "../../core/access.ts";
import type { Caller, Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Language } from "../../messages/catalogue.ts";
import { EMPTY_OBJECT, type Payload } from "../../protocol/json/payload.ts";
import { memberOf } from "../../protocol/json/scan.ts";
import { membersOf } from "../../protocol/json/text-edit.ts";
import {
  encodeError,
  encodeErrorText,
  encodeNotification,
  encodeResult,
  memberString,
  type RpcCall,
} from "../../protocol/json-rpc/message.ts";
import { initializeResult } from "../../protocol/mcp/face.ts";
import { negotiate } from "../../protocol/mcp/versions.ts";
import { VERSION } from "../../version.ts";
import { DEVICE_VERSION, deviceFailure, deviceResult } from "./device-dialect.ts";
import { errorResult, handshakeError, notByCaller, tellable } from "./failure.ts";
import { RunningRequests } from "./running-requests.ts";
import type { Asker, McpTarget, RpcRequest, Subscription } from "./target.ts";
import type { ListStyle } from "./tool-pages.ts";

interface HandshakeOptions {
  readonly target: McpTarget;
  readonly principal: Principal;
  /** Bare JSON-RPC until a handshake: wrong arguments are protocol errors there, and errors have HTTP statuses. */
  readonly bareAtFirst: boolean;
  /** Whether the client is a device, or speaks for one (seed 002); it may turn out to be one. @default never */
  isDevice?(): boolean;
  /** Takes what is said unasked, from the handshake on; absent where there is no way to say it. */
  readonly tell?: ((message: string) => void) | undefined;
  report(cause: unknown): string;
}

/** What belongs to one request. */
interface RequestContext {
  readonly language: Language;
  /** Takes notifications that belong to this request (progress), before its answer. */
  readonly notify: (message: string) => void;
  /** Aborted when the caller left for good. */
  readonly signal?: CancelSignal | undefined;
  /** Where a source's questions go, if the client has a session. */
  readonly client?: Client | undefined;
}

/** A client with a session: it introduces itself by `initialize`, and may say what it wants to hear. */
type Client = Caller & { logLevel: string | undefined; learn?(initialize: RpcCall): void };

interface Answer {
  /** Undefined if nothing is to be sent: the caller has cancelled. */
  readonly text: string | undefined;
  readonly error: ZaguanError | undefined;
  /** What the text is made of, where it is no failure. */
  readonly result?: Payload | undefined;
  /** Whether many will be given the same result: then its bytes are worth keeping. */
  readonly isShared?: boolean | undefined;
}

type ClientAsker = Asker & { readonly caller: Client | undefined };
type Method = (this: HandshakeCodec, call: RpcRequest, by: ClientAsker) => Promise<Payload> | Payload;

const TOOLS_CHANGED = "notifications/tools/list_changed";
const MOST_SUBSCRIPTIONS = 1_000;

export class HandshakeCodec {
  readonly #options: HandshakeOptions;
  readonly #running = new RunningRequests();
  /** By URI; undefined while the source has not answered. */
  readonly #subscribed = new Map<string, Subscription | undefined>();
  #version: string | undefined;
  #client: Client | undefined;
  #leave: (() => void) | undefined;
  #stopWatching: (() => void) | undefined;

  constructor(options: HandshakeOptions) {
    this.#options = options;
    const { target, tell } = options;
    this.#stopWatching = tell && target.watch((...said) => this.#say(tell, ...said));
  }

  /** The revision that was agreed on; undefined without a handshake. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Answers one request; never rejects. */
  async answer(call: RpcRequest, { language, notify, signal: left, client }: RequestContext): Promise<Answer> {
    const { target, principal, report } = this.#options;
    const signal = this.#running.begin(call.id, left);
    try {
      const by = { principal, language, signal, caller: client, notify };
      const result = await (METHODS[call.method] ?? passOn).call(this, call, by);
      const isShared = call.method === "tools/list" && !target.verbatim;
      return { text: encodeResult(call.id, result), error: undefined, result, isShared };
    } catch (cause) {
      return this.#failed(call, tellable(signal.aborted ? cause : notByCaller(cause), report), language);
    } finally {
      this.#running.end(signal);
    }
  }

  /** Takes a notification. */
  notified(call: RpcCall): void {
    const { target, principal } = this.#options;
    if (call.method === "notifications/cancelled") this.#running.cancel(call);
    target.notified(call, principal, this.#client);
  }

  /** The client is gone: nobody waits for what still runs. */
  end(): void {
    this.#running.cancelAll();
    this.stopWatching();
    // First: with a connection of its own, all that was subscribed there is gone.
    this.#leave?.();
    const subscriptions = [...this.#subscribed.values()];
    this.#subscribed.clear();
    for (const subscription of subscriptions) subscription?.end().catch(() => {});
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

  async initialize(call: RpcCall, by: ClientAsker): Promise<Payload> {
    const { target, principal } = this.#options;
    const { caller } = by;
    caller?.learn?.(call);
    this.#leave?.();
    this.#leave = caller && target.join(caller, principal);
    this.#client = caller;
    const face = target.faceNow(by) ?? (await target.face(by));
    const wanted = memberString(call.text, call.members, "protocolVersion");
    const version = negotiate(wanted ?? (this.#speaksDevice ? DEVICE_VERSION : undefined));
    this.#version = version;
    return initializeResult(face, version, { name: target.scope, version: VERSION });
  }

  listTools(call: RpcCall, by: Asker): Promise<Payload> {
    return this.#options.target.listTools(call, by, this.#styleFor(call));
  }

  callTool(call: RpcCall, by: Asker): Promise<Payload> {
    const result = this.#options.target.callTool(call, by);
    return this.#speaksDevice ? result.then(deviceResult) : result;
  }

  async subscribe(call: RpcCall, by: Asker): Promise<Payload> {
    const { target } = this.#options;
    const uri = memberString(call.text, call.members, "uri") ?? "";
    if (this.#subscribed.has(uri)) return target.request(call, by);
    this.#checkSubscribing();
    this.#subscribed.set(uri, undefined);
    try {
      const subscription = await target.subscribe(uri, call, by);
      if (this.#subscribed.has(uri)) this.#subscribed.set(uri, subscription);
      // It was unsubscribed, or its client left, before the source answered.
      else subscription.end().catch(() => {});
      return subscription.result;
    } catch (cause) {
      this.#subscribed.delete(uri);
      throw cause;
    }
  }

  async unsubscribe(call: RpcCall, by: Asker): Promise<Payload> {
    const uri = memberString(call.text, call.members, "uri") ?? "";
    const subscription = this.#subscribed.get(uri);
    if (!this.#subscribed.delete(uri)) return this.#options.target.request(call, by);
    return subscription?.end() ?? EMPTY_OBJECT;
  }

  /** Others talk to the same sources: what these say beyond the level that this client wants is kept from it. */
  async setLevel(call: RpcCall, by: ClientAsker): Promise<Payload> {
    const result = await this.#options.target.request(call, by);
    if (by.caller) by.caller.logLevel = memberString(call.text, call.members, "level");
    return result;
  }

  passOn(call: RpcCall, by: Asker): Promise<Payload> {
    return this.#options.target.request(call, by);
  }

  /** Nothing more is said unasked. */
  stopWatching(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }

  #say(tell: (message: string) => void, method: string, params: Payload): void {
    if (this.#version === undefined || !this.hears(method, params)) return;
    tell(encodeNotification(method, params === EMPTY_OBJECT ? undefined : params.text));
  }

  /** Who has no session could never be told, nor be seen to leave. */
  #checkSubscribing(): void {
    const reason = this.#client ? `at most ${MOST_SUBSCRIPTIONS} resources can be subscribed to` : "it needs a session";
    const isFull = this.#subscribed.size >= MOST_SUBSCRIPTIONS;
    if (!this.#client || isFull) throw new ZaguanError("BAD_REQUEST", { params: { reason } });
  }

  get #isBare(): boolean {
    return this.#options.bareAtFirst && this.#version === undefined;
  }

  /** What passes verbatim has no dialect of ours. */
  get #speaksDevice(): boolean {
    return !this.#options.target.verbatim && (this.#options.isDevice?.() ?? false);
  }

  /** Who spells `Jsonrpc` with a capital is seed 001's own program. */
  #styleFor({ text }: RpcCall): ListStyle {
    if (this.#speaksDevice) return "device";
    if (!memberOf(membersOf(text), "jsonrpc")) return "pascal";
    return this.#isBare ? "seed" : "official";
  }

  #failed({ id, method }: RpcRequest, error: ZaguanError, language: Language): Answer {
    if (error.code === "CANCELLED") return { text: undefined, error };
    const { verbatim } = this.#options.target;
    const told = method === "tools/call" && this.#speaksDevice ? deviceFailure(error, language) : undefined;
    if (told) return { text: encodeResult(id, told), error: undefined };
    // The official revisions want the model to see what was wrong with its arguments.
    if (error.code === "INVALID_ARGUMENT" && !verbatim && !this.#isBare)
      return { text: encodeResult(id, errorResult(error, language)), error: undefined };
    const own = verbatim ? relayedText(error) : undefined;
    if (own !== undefined) return { text: encodeErrorText(id, own), error };
    return { text: encodeError(id, handshakeError(error, language, this.#isBare)), error };
  }
}

const { initialize, listTools, callTool, subscribe, unsubscribe, setLevel, passOn } = HandshakeCodec.prototype;

/** Every other method is asked of the target, which knows what it can answer. */
const METHODS: Readonly<Record<string, Method>> = Object.assign(Object.create(null), {
  initialize,
  ping: () => EMPTY_OBJECT,
  "tools/list": listTools,
  "tools/call": callTool,
  "resources/subscribe": subscribe,
  "resources/unsubscribe": unsubscribe,
  "logging/setLevel": setLevel,
});

/** A source's own error, with its number, its words and its data. */
function relayedText({ details: { relayed } }: ZaguanError): string | undefined {
  if (!relayed) return undefined;
  const { code, message, data, text = JSON.stringify({ code, message, data }) } = relayed;
  return text;
}
