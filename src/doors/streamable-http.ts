/**
 * MCP over HTTP for the 2025 revisions, with sessions, and bare JSON-RPC (no handshake, no session, any `Accept`) on the
 * same path. An answer is plain JSON unless something has to be said before it, or it takes its time in a session; then
 * it becomes an event stream, which in a session can be taken up again.
 */
import { toZaguanError, ZaguanError } from "../errors.ts";
import type { Payload } from "../protocol/json/payload.ts";
import {
  encodeError,
  memberString,
  type RpcCall,
  type RpcMessage,
  readMessage,
  resultAround,
} from "../protocol/json-rpc/message.ts";
import { classify, type Era } from "../protocol/mcp/classify.ts";
import { HANDSHAKE_VERSIONS, isHandshakeVersion, isModernVersion, negotiate } from "../protocol/mcp/versions.ts";
import type { Door, DoorContext, DoorFactory, Exchange, Route } from "./door.ts";
import { acceptsEvents } from "./http/event-stream.ts";
import { failureHeaders, JSON_TYPE, LARGE_ANSWER } from "./http/exchange.ts";
import { notAllowed } from "./http/routes.ts";
import { BATCH_VERSION, isBatch, noBatches, readBatch } from "./mcp/batch.ts";
import { rpcError } from "./mcp/failure.ts";
import { HandshakeCodec } from "./mcp/handshake-codec.ts";
import { BareReply, SessionReply } from "./mcp/http-replies.ts";
import { isSessionNode, type SessionNode, type StoredSession } from "./mcp/session-nodes.ts";
import { streamIn } from "./mcp/session-streams.ts";
import { type Session, Sessions } from "./mcp/sessions.ts";
import { StatelessCodec } from "./mcp/stateless/codec.ts";
import { answerStateless } from "./mcp/stateless/http.ts";
import type { McpTarget, RpcRequest } from "./mcp/target.ts";
import { Targets } from "./mcp/targets.ts";

/** The whole catalogue at `/mcp`; bare JSON-RPC at `/` too, where one real client posts its calls. */
export const streamableHttp: DoorFactory = (context) =>
  new StreamableHttp(context, "mcp", "/mcp").withRoute({ method: "POST", path: "/", needs: "call" });

/** What one agent is linked to, at `/agents/{agent}/mcp`: the caller is that agent when a request comes here. */
export const oneAgent: DoorFactory = (context) => new StreamableHttp(context, "agent", "/agents/{agent}/mcp");

/** One server at `/servers/{name}/mcp`, under its own names and in its own words. */
export const oneServer: DoorFactory = (context) => new StreamableHttp(context, "server", "/servers/{name}/mcp");

class StreamableHttp implements Door {
  readonly name: string;
  readonly routes: Route[];
  readonly #context: DoorContext;
  readonly #targets: Targets;
  readonly #stateless: StatelessCodec;
  readonly #sessions: Sessions;
  /** Running lookups of sessions that this node does not hold, by session id and principal. */
  readonly #lookups = new Map<string, Promise<SessionNode | undefined>>();

  constructor(context: DoorContext, name: string, path: string) {
    this.name = name;
    this.#context = context;
    this.#targets = new Targets({ ...context, door: name });
    this.#stateless = new StatelessCodec({
      report: context.report,
      limit: () => context.limits().sessions,
      suspended: context.shared.openSuspended(name),
      sessionNodes: context.sessionNodes,
    });
    this.#sessions = new Sessions(name, context.limits, context.shared, context.sessionNodes);
    this.routes = [
      { method: "POST", path, needs: "call", handle: (exchange) => this.#post(exchange) },
      { method: "GET", path, needs: "call", handle: (exchange) => this.#get(exchange) },
      { method: "DELETE", path, needs: "call", handle: (exchange) => this.#delete(exchange) },
    ];
  }

  withRoute(route: Pick<Route, "method" | "path" | "needs">): this {
    this.routes.push({ ...route, handle: (exchange) => this.#post(exchange) });
    return this;
  }

  open(): Readonly<Record<string, number>> {
    return { sessions: this.#sessions.size, streams: this.#sessions.streams + this.#stateless.listening };
  }

  close(): void {
    this.#stateless.close();
    this.#sessions.close();
  }

  async #post(exchange: Exchange): Promise<void> {
    const body = await exchange.readBody();
    if (isBatch(body)) return (await this.#isForwarded(exchange, body)) ? undefined : this.#batch(exchange, body);
    const message = readMessage(body, this.#context.limits());
    if (this.#context.sessionNodes && (await this.#isAnsweredByOtherNode(exchange, message, body))) return;
    const era = eraOf(exchange, message);
    if (era.era !== "handshake")
      return answerStateless(exchange, message, era, this.#stateless, () => this.#target(exchange));
    const session = this.#sessionOf(exchange);
    if (message.kind === "reject") return refuse(exchange, message.id, message.error);
    if (message.kind === "answer" || !isRequest(message)) {
      // It may concern a call that still runs at the node from which this one took the session over.
      if (session) this.#context.sessionNodes?.issuerOf(session.id)?.forwardCopy(exchange, body);
      if (message.kind === "answer") session?.client.receive(message.text);
      else session?.codec.notified(message);
      return accept(exchange);
    }
    if (message.method === "initialize" && !session) return this.#initialize(exchange, message);
    const bare = !exchange.header("mcp-protocol-version");
    const codec = session?.codec ?? this.#codecFor(exchange, bare);
    const error = await this.#answer(exchange, codec, message, session);
    if (session?.requests && !error) this.#store(session, message);
  }

  /** Stores what the request changed in its session, so that another node can take the session over. */
  #store(session: Session, message: RpcRequest): void {
    const key = storedKey(message);
    const isUndone = message.method === "resources/unsubscribe";
    if (key !== undefined) void this.#sessions.store(session, key, isUndone ? undefined : message.text);
  }

  /** Whether another node answers. If that node fails, the error is answered under the request's own id. */
  async #isAnsweredByOtherNode(exchange: Exchange, message: RpcMessage, body: string): Promise<boolean> {
    const { sessionNodes } = this.#context;
    const isFirst = message.kind === "call" && message.method === "initialize";
    try {
      return await this.#isForwarded(exchange, body, isFirst ? sessionNodes?.successor() : undefined);
    } catch (cause) {
      if (!isRpcRequest(message)) throw cause;
      refuse(exchange, message.id, toZaguanError(cause));
      return true;
    }
  }

  /**
   * Forwards the request to the node that holds its session or stream, or to `given`; false if this node holds it, or nobody does. If
   * that node is lost before anything was sent, the holder is looked up once more: another node, or this one, has taken the session over.
   */
  async #isForwarded(exchange: Exchange, body: string | undefined, given?: SessionNode): Promise<boolean> {
    if (!this.#context.sessionNodes) return false;
    const node = given ?? (await this.#nodeOf(exchange));
    if (!node) return false;
    try {
      await node.forward(exchange, body);
      return true;
    } catch (cause) {
      if (!isNotSent(cause)) throw cause;
      const next = await this.#nodeOf(exchange);
      await next?.forward(exchange, body);
      return next !== undefined;
    }
  }

  /** The other node that holds the session; undefined if this node holds it, or nobody does. */
  async #nodeOf(exchange: Exchange): Promise<SessionNode | undefined> {
    const id = exchange.header("mcp-session-id");
    if (id === undefined || isModernVersion(exchange.header("mcp-protocol-version"))) return undefined;
    const key = `${id} ${exchange.principal.id}`;
    const running = this.#lookups.get(key);
    if (running) return await running;
    if (this.#sessions.holds(id)) return undefined;
    const lookup = this.#lookUp(exchange, id).finally(() => this.#lookups.delete(key));
    this.#lookups.set(key, lookup);
    return await lookup;
  }

  async #lookUp(exchange: Exchange, id: string): Promise<SessionNode | undefined> {
    const { principal } = exchange;
    const isMeant = ({ door, principalId, scope }: StoredSession): boolean =>
      door === this.name && principalId === principal.id && scope === scopeOf(exchange);
    const found = await this.#context.sessionNodes?.locate(id, isMeant);
    if (found && isSessionNode(found)) return found;
    if (found) await this.#restore(exchange, found);
    return undefined;
  }

  /** Restores a session of a node that is gone, by replaying its stored requests. */
  async #restore(exchange: Exchange, { id, requests }: StoredSession): Promise<void> {
    const messages = requests.map((text) => readMessage(text, this.#context.limits())).filter(isRpcRequest);
    const [initialize] = messages;
    if (!initialize) return;
    const session = this.#open(exchange, initialize, id);
    if (session instanceof ZaguanError) throw session;
    const greeting = { language: exchange.language, notify: () => {}, client: session.client };
    for (const message of messages) await session.codec.answer(message, greeting);
    session.confirmed = true;
    session.requests = new Map(
      messages.map((message, at) => [storedKey(message) ?? message.method, requests[at] ?? ""]),
    );
  }

  /** Those who name no revision are taken to speak the one that has batches. */
  async #batch(exchange: Exchange, body: string): Promise<void> {
    const session = this.#sessionOf(exchange);
    const version = session?.version ?? exchange.header("mcp-protocol-version") ?? BATCH_VERSION;
    if (version !== BATCH_VERSION) throw noBatches();
    const messages = readBatch(body, this.#context.limits());
    const codec = session?.codec ?? this.#codecFor(exchange, true);
    const answers = await Promise.all(messages.map((message) => this.#answerOne(exchange, codec, message, session)));
    const texts = answers.filter((text) => text !== undefined);
    if (texts.length === 0) accept(exchange);
    else exchange.reply(200, `[${texts.join(",")}]`);
  }

  async #answerOne(exchange: Exchange, codec: HandshakeCodec, message: RpcMessage, session: Session | undefined) {
    const { language } = exchange;
    if (message.kind === "reject") return encodeError(message.id, rpcError(message.error, language));
    if (message.kind === "answer") return session?.client.receive(message.text);
    if (!isRequest(message)) return session?.codec.notified(message);
    if (message.method === "initialize") return encodeError(message.id, rpcError(noBatches(), language));
    return (await codec.answer(message, { language, notify: () => {}, client: session?.client })).text;
  }

  async #get(exchange: Exchange): Promise<void> {
    const { sessionNodes } = this.#context;
    const stream = streamIn(exchange.header("last-event-id") ?? "");
    // A node that drains is about to close its streams, so it forwards new listeners to another node.
    if (
      await this.#isForwarded(
        exchange,
        undefined,
        stream === "" ? sessionNodes?.successor() : sessionNodes?.issuerOf(stream),
      )
    )
      return;
    const session = this.#sessionOf(exchange);
    const { request, response } = exchange;
    if (!session || request.method !== "GET" || !acceptsEvents(exchange)) throw notAllowed(request.method, "POST");
    const lastEventId = exchange.header("last-event-id");
    if (!lastEventId) session.streams.listen(response);
    else if (!session.streams.takeUp(lastEventId, response, (id) => lostAnswer(id, exchange))) throw nothingThere();
    response.on("close", () => {
      session.lastUsed = Date.now();
    });
  }

  async #delete(exchange: Exchange): Promise<void> {
    if (await this.#isForwarded(exchange, undefined)) return;
    const session = this.#sessionOf(exchange);
    if (!session) throw notAllowed("DELETE", "POST");
    await this.#sessions.end(session);
    exchange.reply(204, "");
  }

  /** Opens a session, and ends it again where `initialize` fails. */
  async #initialize(exchange: Exchange, message: RpcRequest): Promise<void> {
    const { language } = exchange;
    const session = this.#open(exchange, message);
    if (session instanceof ZaguanError) return refuse(exchange, message.id, session);
    const greeting = { language, notify: () => {}, client: session.client };
    const { text = "", error } = await session.codec.answer(message, greeting);
    if (error) void this.#sessions.end(session);
    else if (this.#context.sessionNodes) await this.#sessions.store(session, message.method, message.text);
    exchange.reply(200, text, error ? JSON_TYPE : { ...JSON_TYPE, "mcp-session-id": session.id });
  }

  /** @param id the id of a session that is taken over from another node */
  #open(exchange: Exchange, message: RpcRequest, id?: string): Session | ZaguanError {
    let session: Session | undefined;
    const codec = this.#codecFor(exchange, false, (text) => void session?.streams.tell(text));
    const version = negotiate(memberString(message.text, message.members, "protocolVersion"));
    try {
      session = this.#sessions.open(exchange.principal, codec, version, scopeOf(exchange), id);
      return session;
    } catch (cause) {
      codec.end();
      return toZaguanError(cause);
    }
  }

  #target({ names }: Exchange): McpTarget {
    return this.#targets.of(names["name"]);
  }

  #codecFor(exchange: Exchange, bareAtFirst: boolean, tell?: (message: string) => void): HandshakeCodec {
    const { report } = this.#context;
    const { principal } = exchange;
    return new HandshakeCodec({ target: this.#target(exchange), principal, bareAtFirst, report, tell });
  }

  async #answer(
    exchange: Exchange,
    codec: HandshakeCodec,
    message: RpcRequest,
    session: Session | undefined,
  ): Promise<ZaguanError | undefined> {
    const reply = session ? new SessionReply(exchange, session.streams, message.id) : new BareReply(exchange);
    const closeOutlet = session?.client.addOutlet(reply.notify);
    // By the 2025 revisions a lost connection is no cancellation; without a session nobody could come back.
    const signal = session ? undefined : exchange.left;
    const { language } = exchange;
    const { notify } = reply;
    const context = { language, notify, signal, client: session?.client };
    const { text, error, result, isShared } = await codec.answer(message, context);
    closeOutlet?.();
    const middle = result && reply.isPlain ? asItIs(result, isShared) : undefined;
    const body = text ?? encodeError(message.id, rpcError(error ?? new ZaguanError("CANCELLED"), language));
    if (middle !== undefined) exchange.replyAround(middle, ...resultAround(message.id));
    else reply.finish(body, error);
    return error;
  }

  /** Every request passes here, so its revision is checked here too. */
  #sessionOf(exchange: Exchange): Session | undefined {
    if (isModernVersion(exchange.header("mcp-protocol-version"))) return undefined;
    checkVersion(exchange);
    const id = exchange.header("mcp-session-id");
    return id === undefined ? undefined : this.#sessions.find(id, exchange.principal, scopeOf(exchange));
  }
}

/** A result to be written apart from what stands around it: put together with its id, a large text would be copied once more. */
function asItIs(result: Payload, isShared = false): Uint8Array | string | undefined {
  if (isShared) return result.bytes;
  return result.text.length > LARGE_ANSWER ? result.text : undefined;
}

function isNotSent(cause: unknown): boolean {
  return cause instanceof ZaguanError && cause.details.delivery === "not_sent";
}

/** A session of one server is none of another's. */
function scopeOf(exchange: Exchange): string {
  return exchange.names["name"] ?? "";
}

/** By what a request is known that changes its session for good; undefined for all others. */
function storedKey({ method, text, members }: RpcCall): string | undefined {
  if (method === "logging/setLevel") return method;
  if (!method.startsWith("resources/") || !method.endsWith("subscribe")) return undefined;
  return `subscribed ${memberString(text, members, "uri") ?? ""}`;
}

/** Its node is gone, and with it what it knew of the call. */
function lostAnswer(id: string, { language }: Exchange): string {
  const lost = new ZaguanError("OUTCOME_UNKNOWN", { params: { source: "zaguan" }, delivery: "unknown" });
  return encodeError(id, rpcError(lost, language));
}

function isRequest(call: RpcCall): call is RpcRequest {
  return call.id !== undefined;
}

function isRpcRequest(message: RpcMessage): message is RpcMessage & RpcRequest {
  return message.kind === "call" && isRequest(message);
}

function eraOf(exchange: Exchange, message: RpcMessage): Era {
  return classify({
    method: exchange.request.method ?? "",
    versionHeader: exchange.header("mcp-protocol-version"),
    methodHeader: exchange.header("mcp-method"),
    nameHeader: exchange.header("mcp-name"),
    message,
  });
}

function checkVersion(exchange: Exchange): void {
  const version = exchange.header("mcp-protocol-version");
  if (version === undefined || isHandshakeVersion(version)) return;
  throw new ZaguanError("UNSUPPORTED_VERSION", {
    params: { version: version.slice(0, 40) },
    data: { supported: HANDSHAKE_VERSIONS, requested: version.slice(0, 40) },
  });
}

function refuse(exchange: Exchange, id: string, error: ZaguanError): void {
  exchange.reply(error.row.http, encodeError(id, rpcError(error, exchange.language)), failureHeaders(error));
}

function accept(exchange: Exchange): void {
  exchange.reply(202, "");
}

/**
 * An id that we never gave in this session, whose stream is no longer kept, or after which nothing will come. A GET may be
 * answered by a stream or by 405. Official clients stop asking at 405 (the TypeScript ones at once, and one of them asks
 * after every error that a stream ends with); an empty stream would make them ask for ever, and 404 means that the whole
 * session is gone.
 */
function nothingThere(): ZaguanError {
  const params = { method: "GET", allowed: "POST" };
  return new ZaguanError("METHOD_NOT_ALLOWED", { params, data: { reason: "nothing to resume at this Last-Event-ID" } });
}
