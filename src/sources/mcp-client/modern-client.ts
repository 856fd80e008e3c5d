/**
 * The client side of MCP over any link, for the stateless revisions: every request introduces its client by itself, there
 * is no handshake, and what the server wants to know it says in its answer. Words of the older revisions are translated.
 */
import type { Caller, ToolDefinition } from "../../core/call.ts";
import { toZaguanError, ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { type Introduction, revisionIn, withEnvelope } from "../../protocol/mcp/envelope.ts";
import type { ServerFace } from "../../protocol/mcp/face.ts";
import { requestHeaders } from "../../protocol/mcp/headers.ts";
import { ASKING_METHODS } from "../../protocol/mcp/input-required.ts";
import { swapProgressToken } from "../../protocol/mcp/progress-token.ts";
import { unstampResult } from "../../protocol/mcp/stamp.ts";
import {
  ACKNOWLEDGED,
  type SubscriptionFilter,
  subscriptionIdIn,
  withoutSubscriptionId,
} from "../../protocol/mcp/subscription.ts";
import {
  HEADER_MISMATCH,
  LATEST_MODERN_VERSION,
  UNKNOWN_METHOD,
  UNSUPPORTED_VERSION,
} from "../../protocol/mcp/versions.ts";
import { NAME, VERSION } from "../../version.ts";
import type { SourceRequest } from "../source.ts";
import type { Conversation, EraClient } from "./conversation.ts";
import { HandshakeEmulation } from "./handshake-emulation.ts";
import { Listening } from "./listening.ts";
import { inRounds } from "./rounds.ts";
import { callParams } from "./tool-call.ts";
import { ToolHeaders } from "./tool-headers.ts";
import { readTools } from "./tool-list.ts";

export interface ModernOptions {
  /** Requests are exchanges of HTTP: they have headers, and closing one cancels it. */
  readonly overHttp: boolean;
  /** The server no longer speaks this era; another life has to find out which it does. */
  onUnfit(reason: string): void;
}

/** So many answers in a row that only a server of another era gives. */
const MAX_UNFIT = 3;
/** Every server that declares tools knows these. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(["tools/list", "tools/call"]);
/** With these, and the word, servers of the older era refuse whom they have not greeted. */
const UNGREETED_CODES: ReadonlySet<number> = new Set([-32000, -32001, -32002, -32600]);
const OURSELVES: Introduction = {
  version: LATEST_MODERN_VERSION,
  capabilities: "{}",
  info: JSON.stringify({ name: NAME, version: VERSION }),
};

/** As the documents promise it. */
const DEFAULT_LEVEL = "info";

type Sent = Pick<SourceRequest, "method" | "name" | "signal" | "onProgress" | "onNotification">;

/** The greeting, which also tells the era. Never cancelled by a word: servers take the first one for their era. */
export function discover({ peer }: Conversation, overHttp: boolean, signal: CancelSignal): Promise<Payload> {
  const method = "server/discover";
  const params = withEnvelope("{}", OURSELVES);
  const headers = overHttp ? requestHeaders(method, params, LATEST_MODERN_VERSION) : undefined;
  return peer.request(method, () => params, { signal, headers, cancellable: false });
}

export class ModernClient implements EraClient {
  readonly face: ServerFace;
  readonly #conversation: Conversation;
  readonly #options: ModernOptions;
  readonly #listening: Listening;
  readonly #olderWords: HandshakeEmulation;
  readonly #headers: ToolHeaders;
  #hasListed = false;
  #unfit = 0;

  constructor(conversation: Conversation, face: ServerFace, options: ModernOptions) {
    this.face = face;
    this.#conversation = conversation;
    this.#options = options;
    conversation.client = this;
    const { context } = conversation;
    this.#headers = new ToolHeaders((name) => context.onLog(`tool left out, its x-mcp-header is not valid: ${name}`));
    this.#listening = new Listening({
      context,
      capabilities: face.capabilities,
      open: (filter, signal, onId) => this.#listen(filter, signal, onId),
      onOpen: (isAgain) => {
        if (isAgain || this.#hasListed) context.onToolsChanged();
      },
    });
    this.#olderWords = new HandshakeEmulation(context.name, face.capabilities, this.#listening);
  }

  async begin(): Promise<void> {
    this.#listening.begin();
  }

  async listTools(signal: CancelSignal): Promise<readonly ToolDefinition[]> {
    const sent = { method: "tools/list", name: "tools/list", signal };
    const tools = await readTools(
      this.face,
      (params) => this.#exchange(sent, withEnvelope(params, OURSELVES)),
      this.#conversation.warn,
    );
    this.#hasListed = true;
    return this.#options.overHttp ? this.#headers.learn(tools) : tools;
  }

  async request(request: SourceRequest): Promise<Payload> {
    const translated = this.#olderWords.translate(request);
    if (translated) return await translated;
    const params = this.#paramsOf(request);
    const send = (text: string): Promise<Payload> => this.#send(request, text);
    const { method, caller } = request;
    const isModern = caller?.comesAgain === true;
    const mayAsk = ASKING_METHODS.has(method) && !isModern;
    const result = await (mayAsk ? inRounds(request, params, send, this.#conversation.context) : send(params));
    const page = method === "tools/list" && this.#options.overHttp ? this.#headers.learnPage(result) : result;
    return isModern ? page : Payload.ofText(unstampResult(page.text));
  }

  onNotification(method: string, params: Payload): void {
    if (method === ACKNOWLEDGED) this.#listening.acknowledged(params);
    else if (method === "notifications/cancelled") this.#listening.cancelled(params);
    else this.#notified(method, params);
  }

  /** Servers of this era ask nothing. */
  onRequest(method: string): Promise<Payload> {
    return Promise.reject(new ZaguanError("UNKNOWN_METHOD", { params: { method } }));
  }

  end(): void {
    this.#listening.end();
  }

  #notified(method: string, params: Payload): void {
    const { context } = this.#conversation;
    const id = subscriptionIdIn(params);
    // Late news of a stream that another has taken the place of.
    if (id !== undefined && !this.#listening.has(id)) return;
    if (method === "notifications/tools/list_changed") context.onToolsChanged();
    context.onNotification(method, id === undefined ? params : withoutSubscriptionId(params));
  }

  /** A client of this era has introduced itself in its own params. */
  #paramsOf(request: SourceRequest): string {
    const params = callParams(request);
    return revisionIn(params) === undefined ? withEnvelope(params, this.#introduce(request.caller)) : params;
  }

  /** A client with a handshake hears the log until it names a level; a server of this era says nothing unless one is named. */
  #introduce(caller: Caller | undefined): Introduction {
    const introduction = introduce(caller);
    const isDefault = caller !== undefined && !caller.comesAgain && this.face.capabilities["logging"] !== undefined;
    return isDefault ? { ...introduction, logLevel: introduction.logLevel ?? DEFAULT_LEVEL } : introduction;
  }

  /** A server that misses a header proves that it did not run the call, and that we know an old schema of the tool. */
  async #send(request: SourceRequest, params: string): Promise<Payload> {
    try {
      return await this.#exchange(request, params);
    } catch (error) {
      if (request.method !== "tools/call" || !isHeaderMismatch(error)) throw error;
    }
    await this.listTools(request.signal);
    return await this.#exchange(request, params);
  }

  async #exchange(request: Sent, params: string): Promise<Payload> {
    const { method, signal, onProgress, onNotification = ignore } = request;
    const isDeep = method === "tools/list";
    const options = { signal, onProgress, onNotification, isDeep, ...this.#transport(request, params) };
    try {
      const result = await this.#conversation.peer.request(method, (id) => swapProgressToken(params, id), options);
      this.#unfit = 0;
      return result;
    } catch (error) {
      this.#judge(method, toZaguanError(error));
      throw error;
    }
  }

  #transport({ method, name }: Pick<Sent, "method" | "name">, params: string) {
    if (!this.#options.overHttp) return {};
    const wanted = method === "tools/call" ? this.#headers.of(name) : undefined;
    const version = revisionIn(params) ?? LATEST_MODERN_VERSION;
    return { headers: requestHeaders(method, params, version, wanted), cancellable: false, isUnaskable: true };
  }

  #listen(filter: SubscriptionFilter, signal: CancelSignal, onId: (id: number) => void): Promise<Payload> {
    const method = "subscriptions/listen";
    const params = withEnvelope(JSON.stringify({ notifications: filter }), OURSELVES);
    const text = (id: number): string => {
      onId(id);
      return params;
    };
    return this.#conversation.peer.request(method, text, {
      signal,
      ...this.#transport({ method, name: method }, params),
    });
  }

  #judge(method: string, { details: { relayed } }: ZaguanError): void {
    if (!relayed) return;
    const { code, message } = relayed;
    const hasTools = this.face.capabilities["tools"] !== undefined;
    const isUnknown = code === UNKNOWN_METHOD && hasTools && KNOWN_METHODS.has(method);
    const isUngreeted = UNGREETED_CODES.has(code) && /initiali[sz]/i.test(message);
    const isUnfit = code === UNSUPPORTED_VERSION || isUnknown || isUngreeted;
    this.#unfit = isUnfit ? this.#unfit + 1 : 0;
    if (this.#unfit === MAX_UNFIT) this.#options.onUnfit(`it no longer speaks ${LATEST_MODERN_VERSION}`);
  }
}

/** What a client cannot be asked the server must not count on. */
function introduce(caller: Caller | undefined): Introduction {
  if (!caller) return OURSELVES;
  const { comesAgain, canBeAsked, capabilities, info, logLevel } = caller;
  return {
    version: LATEST_MODERN_VERSION,
    capabilities: comesAgain || canBeAsked ? capabilities.text : "{}",
    info: isWhole(info) ? info.text : OURSELVES.info,
    logLevel,
  };
}

/** Servers of this era refuse a request whose client does not say both; those of the other era did not mind. */
function isWhole(info: Payload | undefined): info is Payload {
  const { name, version } = (info?.value ?? {}) as { name?: unknown; version?: unknown };
  return typeof name === "string" && typeof version === "string";
}

function isHeaderMismatch(error: unknown): boolean {
  const { delivery, details } = toZaguanError(error);
  return details.relayed?.code === HEADER_MISMATCH && delivery === "not_sent";
}

function ignore(): void {}
