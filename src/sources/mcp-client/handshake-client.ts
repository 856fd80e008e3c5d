/**
 * The client side of MCP over any link, for the revisions with a handshake: initialize, calls, progress, cancellation,
 * and what the server asks back. What only a later revision knows is kept from the server.
 */
import type { ToolDefinition } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { anyOf, type CancelSignal, LightAbort } from "../../light-abort.ts";
import { EMPTY_OBJECT, type Payload } from "../../protocol/json/payload.ts";
import type { Ask } from "../../protocol/json-rpc/peer.ts";
import { isAtLeast, isLogLevel } from "../../protocol/mcp/client-capabilities.ts";
import { withoutEnvelope } from "../../protocol/mcp/envelope.ts";
import { faceOfInitialize, type ServerFace } from "../../protocol/mcp/face.ts";
import { ASKING_METHODS, hasRequestState, withoutAnswers } from "../../protocol/mcp/input-required.ts";
import { swapProgressToken } from "../../protocol/mcp/progress-token.ts";
import { isHandshakeVersion, LATEST_HANDSHAKE_VERSION } from "../../protocol/mcp/versions.ts";
import { NAME, VERSION } from "../../version.ts";
import type { SourceRequest } from "../source.ts";
import type { Conversation, EraClient } from "./conversation.ts";
import { asResult, callParams } from "./tool-call.ts";
import { lawfulPage } from "./tool-definition.ts";
import { readTools } from "./tool-list.ts";
import { soon } from "./until.ts";

const SET_LEVEL = "logging/setLevel";

/** The answer to `initialize` is none that we can live with. */
export class UnknownVersion extends Error {}

export class HandshakeClient implements EraClient {
  /** What the server said of itself. */
  face: ServerFace | undefined;
  readonly #conversation: Conversation;
  /** The resources of which it tells us: a new session has to be told of them. */
  #uris: readonly string[] = [];
  /** The least severe log messages that the server was last asked for. */
  #logLevel: string | undefined;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    conversation.client = this;
  }

  /** Resolves with the version agreed on. */
  async initialize(signal: CancelSignal, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { peer, context } = this.#conversation;
    const params = JSON.stringify({
      protocolVersion: this.#conversation.revision ?? LATEST_HANDSHAKE_VERSION,
      capabilities: { ...context.client?.capabilities, ...more },
      clientInfo: { name: NAME, version: VERSION },
    });
    const result = await peer.request("initialize", () => params, { signal, cancellable: false });
    const version = (result.value as { protocolVersion?: unknown } | null)?.protocolVersion;
    if (!isHandshakeVersion(version)) throw this.#unknownVersion(version);
    this.face = faceOfInitialize(result);
    this.#logLevel = undefined;
    return version;
  }

  /** Some servers offer their tools only when they have taken this, which over HTTP another request could overtake. */
  async begin(): Promise<void> {
    const { peer, context } = this.#conversation;
    await soon(peer.notify("notifications/initialized"), context.clock);
    const signal = new LightAbort();
    for (const uri of this.#uris) {
      peer.request("resources/subscribe", () => JSON.stringify({ uri }), { signal }).catch(() => {});
    }
  }

  listTools(signal: CancelSignal): Promise<readonly ToolDefinition[]> {
    const { peer, warn } = this.#conversation;
    return readTools(this.face, (params) => peer.request("tools/list", () => params, { signal, isDeep: true }), warn);
  }

  request(request: SourceRequest): Promise<Payload> {
    const params = paramsOf(request);
    const isPlain = request.method === "tools/call" && !this.#isTooQuiet(request);
    return isPlain ? this.#ask(request, params) : this.#askAndLearn(request, params);
  }

  notify(method: string, params: Payload): void {
    const text = withoutEnvelope(params.text);
    void this.#conversation.peer.notify(method, text === EMPTY_OBJECT.text ? undefined : text);
  }

  onNotification(method: string, params: Payload): void {
    const { context } = this.#conversation;
    // It speaks of ids that are between us and the server.
    if (method === "notifications/cancelled") return;
    if (method === "notifications/tools/list_changed") context.onToolsChanged();
    context.onNotification(method, params);
  }

  onRequest(method: string, params: Payload, signal: CancelSignal): Promise<Payload> {
    return this.#conversation.context.onRequest(method, params, signal);
  }

  end(): void {}

  async #askAndLearn(request: SourceRequest, params: string): Promise<Payload> {
    if (this.#isTooQuiet(request)) await this.#raiseLogLevel(request);
    const result = await this.#ask(request, params);
    this.#learn(request);
    return result;
  }

  /** A question that comes with this request's answer is over when the request is. */
  #ask(request: SourceRequest, params: string): Promise<Payload> {
    const { method, signal, onProgress, onNotification = ignore } = request;
    // Made for those requests in which the server asks something, which are few.
    let over: LightAbort | undefined;
    const onRequest: Ask = (question, asked, wanted) => {
      over ??= endOf(answer);
      return this.onRequest(question, asked, anyOf(signal, wanted, over));
    };
    const options = { signal, onProgress, onNotification, onRequest };
    const answer = this.#conversation.peer.request(method, (id) => swapProgressToken(params, id), options);
    if (method === "tools/call") return answer.then(asResult);
    return method === "tools/list" ? answer.then(lawfulPage) : answer;
  }

  #isTooQuiet({ caller, method }: SourceRequest): boolean {
    const wanted = caller?.logLevel;
    if (wanted === undefined || method === SET_LEVEL || !this.face?.capabilities["logging"]) return false;
    return this.#logLevel === undefined || !isAtLeast(wanted, this.#logLevel);
  }

  /** A server that does not do it is not asked again and again, and its calls are not held up. */
  async #raiseLogLevel({ caller, signal }: SourceRequest): Promise<void> {
    const level = caller?.logLevel;
    this.#logLevel = level;
    const asked = this.#conversation.peer.request(SET_LEVEL, () => JSON.stringify({ level }), { signal });
    await asked.catch(() => {});
  }

  #learn({ method, params }: SourceRequest): void {
    if (!params || (method !== SET_LEVEL && !method.startsWith("resources/"))) return;
    const { level, uri } = params.value as { level?: unknown; uri?: unknown };
    if (method === SET_LEVEL && isLogLevel(level)) this.#logLevel = level;
    if (method === "resources/subscribe" && typeof uri === "string")
      this.#uris = [...this.#uris.filter((one) => one !== uri), uri];
    if (method === "resources/unsubscribe" && typeof uri === "string")
      this.#uris = this.#uris.filter((one) => one !== uri);
  }

  #unknownVersion(version: unknown): ZaguanError {
    const reason = `it speaks an unknown protocol version: ${String(version).slice(0, 40)}`;
    const params = { source: this.#conversation.context.name, reason };
    return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent", cause: new UnknownVersion(reason) });
  }
}

/** What a client of a later revision says of itself, and of questions that were never asked, is not for this server. */
function paramsOf(request: SourceRequest): string {
  const params = withoutEnvelope(callParams(request));
  if (!request.caller?.comesAgain || !ASKING_METHODS.has(request.method)) return params;
  if (hasRequestState(params)) throw foreignState();
  return withoutAnswers(params);
}

/** A server of these revisions never gave one out, so it is none of ours that comes back. */
function foreignState(): ZaguanError {
  const params = { reason: "requestState is not one of ours" };
  return new ZaguanError("INVALID_PARAMS", { params, delivery: "not_sent" });
}

/** Aborted when the work is over, however it ended. */
function endOf(work: Promise<unknown>): LightAbort {
  const over = new LightAbort();
  const end = (): void => over.abort();
  work.then(end, end);
  return over;
}

function ignore(): void {}
