/**
 * MCP over HTTP for the 2025 revisions, with sessions, and bare JSON-RPC (no handshake, no session, any `Accept`) on the
 * same path. An answer is plain JSON unless something has to be said before it; then it becomes an event stream.
 */

import { toZaguanError, ZaguanError } from "../errors.ts";
import {
  encodeError,
  encodeNotification,
  memberString,
  type RpcCall,
  type RpcMessage,
  readMessage,
} from "../protocol/json-rpc/message.ts";
import { classify, type Era } from "../protocol/mcp/classify.ts";
import { HANDSHAKE_VERSIONS, isHandshakeVersion, isModernVersion, negotiate } from "../protocol/mcp/versions.ts";
import type { Door, DoorContext, DoorFactory, Exchange, Route } from "./door.ts";
import { acceptsEvents, leaving } from "./http/caller.ts";
import { EventStream } from "./http/event-stream.ts";
import { failureHeaders, JSON_TYPE } from "./http/exchange.ts";
import { audienceOf } from "./mcp/audience.ts";
import { BATCH_VERSION, isBatch, noBatches, readBatch } from "./mcp/batch.ts";
import { Conversation, type Dialogue, TOOLS_CHANGED } from "./mcp/conversation.ts";
import { rpcError } from "./mcp/failure.ts";
import { Modern } from "./mcp/modern.ts";
import { ServerConversation } from "./mcp/server-conversation.ts";
import { type Session, Sessions } from "./mcp/sessions.ts";
import { Subscriptions } from "./mcp/subscriptions.ts";

type Request = RpcCall & { readonly id: string };

/** The whole catalogue at `/mcp`; bare JSON-RPC at `/` too, where one real client posts its calls. */
export const streamableHttp: DoorFactory = (context) => {
  const { gateway, report } = context;
  const endpoint: StreamableHttp = new StreamableHttp(context, {
    name: "mcp",
    path: "/mcp",
    open: ({ principal }, bare) => new Conversation({ gateway, report, door: "mcp", principal, bare }),
    listen: () => gateway.onToolsChanged(() => endpoint.tell(TOOLS_CHANGED, () => true)),
    modern: new Modern(context, "mcp"),
  });
  return endpoint.withRoute({ method: "POST", path: "/" });
};

/** One server at `/servers/{name}/mcp`, under its own names and in its own words. */
export const oneServer: DoorFactory = (context) => {
  const { servers, report } = context;
  const subscriptions = new Subscriptions();
  const endpoint: StreamableHttp = new StreamableHttp(context, {
    name: "server",
    path: "/servers/{name}/mcp",
    open: ({ principal, names }) => {
      const source = names["name"] ?? "";
      if (!servers.has(source))
        throw new ZaguanError("NOT_FOUND", { params: { path: `/servers/${source.slice(0, 64)}` } });
      const gateway = servers.through(source);
      return new ServerConversation({ source, servers, gateway, principal, door: "server", subscriptions, report });
    },
    listen: () =>
      servers.onNotification((source, method, params) => {
        const text = encodeNotification(method, params.text);
        const isMeant = audienceOf(endpoint.dialogues(), source, method, params);
        if (method === "notifications/message") endpoint.tellWaiting(text, isMeant);
        else endpoint.tell(text, isMeant);
      }),
  });
  return endpoint;
};

interface EndpointOptions {
  readonly name: string;
  readonly path: string;
  /** Begins a conversation; `bare` where the caller knows no handshake. */
  open(exchange: Exchange, bare: boolean): Dialogue;
  /** Listens for what is told to clients unasked; returns how to stop. */
  listen(): () => void;
  /** Answers the stateless revisions, where this endpoint speaks them. */
  readonly modern?: Modern;
}

class StreamableHttp implements Door {
  readonly name: string;
  readonly routes: Route[];
  readonly #context: DoorContext;
  readonly #options: EndpointOptions;
  readonly #sessions: Sessions;
  readonly #stopListening: () => void;

  constructor(context: DoorContext, options: EndpointOptions) {
    this.name = options.name;
    this.#context = context;
    this.#options = options;
    this.#sessions = new Sessions(context.limits);
    this.#stopListening = options.listen();
    const { path } = options;
    this.routes = [
      { method: "POST", path, handle: (exchange) => this.#post(exchange) },
      { method: "GET", path, handle: (exchange) => this.#get(exchange) },
      { method: "DELETE", path, handle: (exchange) => this.#delete(exchange) },
    ];
  }

  withRoute(route: { method: "POST"; path: string }): this {
    this.routes.push({ ...route, handle: (exchange) => this.#post(exchange) });
    return this;
  }

  /** To all sessions with an open stream whose conversation is meant. */
  tell(message: string, isMeant: (dialogue: Dialogue) => boolean): void {
    this.#sessions.broadcast(message, isMeant);
  }

  /** The same for what belongs to a call under way. */
  tellWaiting(message: string, isMeant: (dialogue: Dialogue) => boolean): void {
    this.#sessions.tellWaiting(message, isMeant);
  }

  dialogues(): readonly Dialogue[] {
    return this.#sessions.dialogues();
  }

  close(): void {
    this.#stopListening();
    this.#options.modern?.close();
    this.#sessions.close();
  }

  async #post(exchange: Exchange): Promise<void> {
    const body = await exchange.readBody();
    if (isBatch(body)) return this.#batch(exchange, body);
    const message = readMessage(body, this.#context.limits());
    const { modern } = this.#options;
    const era = eraOf(exchange, message);
    if (modern && era.era !== "handshake") return modern.take(exchange, message, era);
    const session = this.#sessionOf(exchange);
    if (message.kind === "reject") return refuse(exchange, message.id, message.error);
    if (message.kind === "answer") {
      session?.client.receive(message.text);
      return accept(exchange);
    }
    if (!isRequest(message)) {
      session?.conversation.notified(message);
      return accept(exchange);
    }
    if (message.method === "initialize" && !session) return this.#initialize(exchange, message);
    const bare = !exchange.header("mcp-protocol-version");
    const conversation = session?.conversation ?? this.#options.open(exchange, bare);
    return this.#answer(exchange, conversation, message, session);
  }

  /** Those who name no revision are taken to speak the one that has batches. */
  async #batch(exchange: Exchange, body: string): Promise<void> {
    const session = this.#sessionOf(exchange);
    const version = session?.version ?? exchange.header("mcp-protocol-version") ?? BATCH_VERSION;
    if (version !== BATCH_VERSION) throw noBatches();
    const messages = readBatch(body, this.#context.limits());
    const dialogue = session?.conversation ?? this.#options.open(exchange, true);
    const answers = await Promise.all(messages.map((message) => this.#answerOne(exchange, dialogue, message, session)));
    const texts = answers.filter((text) => text !== undefined);
    if (texts.length === 0) accept(exchange);
    else exchange.reply(200, `[${texts.join(",")}]`);
  }

  async #answerOne(exchange: Exchange, dialogue: Dialogue, message: RpcMessage, session: Session | undefined) {
    const { language } = exchange;
    if (message.kind === "reject") return encodeError(message.id, rpcError(message.error, language));
    if (message.kind === "answer") return session?.client.receive(message.text);
    if (!isRequest(message)) return session?.conversation.notified(message);
    if (message.method === "initialize") return encodeError(message.id, rpcError(noBatches(), language));
    return (await dialogue.answer(message, { language, notify: () => {}, client: session?.client })).text;
  }

  #get(exchange: Exchange): void {
    const session = this.#sessionOf(exchange);
    const isGet = exchange.request.method === "GET";
    if (!session || !isGet || !acceptsEvents(exchange)) throw notAllowed(exchange.request.method ?? "", "POST");
    if (session.stream) throw new ZaguanError("STREAM_TAKEN");
    const stream = new EventStream(exchange.response, { "mcp-session-id": session.id });
    session.stream = stream;
    exchange.response.on("close", () => {
      if (session.stream === stream) session.stream = undefined;
      session.lastUsed = Date.now();
    });
  }

  #delete(exchange: Exchange): void {
    const session = this.#sessionOf(exchange);
    if (!session) throw notAllowed("DELETE", "POST");
    this.#sessions.end(session);
    exchange.reply(204, "");
  }

  async #initialize(exchange: Exchange, message: Request): Promise<void> {
    const conversation = this.#options.open(exchange, false);
    let session: Session;
    try {
      session = this.#sessions.open(exchange.principal, conversation, scopeOf(exchange));
    } catch (cause) {
      return refuse(exchange, message.id, toZaguanError(cause));
    }
    session.client.learn(message);
    session.version = negotiate(memberString(message.text, message.members, "protocolVersion"));
    const { text = "" } = await conversation.answer(message, { language: exchange.language, notify: () => {} });
    exchange.reply(200, text, { ...JSON_TYPE, "mcp-session-id": session.id });
  }

  /**
   * A caller that hangs up has cancelled only if it came without a session: by the 2025 revisions a lost connection is
   * no cancellation.
   */
  async #answer(exchange: Exchange, dialogue: Dialogue, message: Request, session: Session | undefined): Promise<void> {
    let stream: EventStream | undefined;
    const notify = (text: string): boolean => {
      if (!acceptsEvents(exchange) || exchange.response.destroyed) return false;
      stream ??= new EventStream(exchange.response);
      stream.send(text);
      return true;
    };
    const closeOutlet = session?.client.addOutlet(notify);
    const signal = session ? undefined : leaving(exchange);
    const { language } = exchange;
    const { text, error } = await dialogue.answer(message, { language, notify, signal, client: session?.client });
    closeOutlet?.();
    const body = text ?? encodeError(message.id, rpcError(error ?? new ZaguanError("CANCELLED"), language));
    if (stream) {
      stream.send(body);
      stream.end();
    } else if (error && !session) exchange.reply(error.row.http, body, failureHeaders(error));
    else exchange.reply(200, body);
  }

  /** Every request passes here, so its revision is checked here too. */
  #sessionOf(exchange: Exchange): Session | undefined {
    if (this.#options.modern && isModernVersion(exchange.header("mcp-protocol-version"))) return undefined;
    checkVersion(exchange);
    const id = exchange.header("mcp-session-id");
    return id === undefined ? undefined : this.#sessions.find(id, exchange.principal, scopeOf(exchange));
  }
}

/** A session of one server is none of another's. */
function scopeOf(exchange: Exchange): string {
  return exchange.names["name"] ?? "";
}

function isRequest(call: RpcCall): call is Request {
  return call.id !== undefined;
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

function notAllowed(method: string, allowed: string): ZaguanError {
  return new ZaguanError("METHOD_NOT_ALLOWED", { params: { method, allowed } });
}
