/**
 * MCP over HTTP for the 2025 revisions, with sessions, and bare JSON-RPC (no handshake, no session, any `Accept`) on the
 * same path. An answer is plain JSON unless something has to be said before it; then it becomes an event stream.
 */
import { toZaguanError, ZaguanError } from "../errors.ts";
import { encodeError, type RpcCall, readMessage } from "../protocol/json-rpc/message.ts";
import { HANDSHAKE_VERSIONS, isHandshakeVersion } from "../protocol/mcp/versions.ts";
import type { Door, DoorContext, DoorFactory, Exchange } from "./door.ts";
import { EventStream } from "./http/event-stream.ts";
import { failureHeaders, JSON_TYPE } from "./http/exchange.ts";
import { Conversation, TOOLS_CHANGED } from "./mcp/conversation.ts";
import { rpcError } from "./mcp/failure.ts";
import { type Session, Sessions } from "./mcp/sessions.ts";

type Request = RpcCall & { readonly id: string };

export const streamableHttp: DoorFactory = (context) => new StreamableHttp(context);

class StreamableHttp implements Door {
  readonly name = "mcp";
  readonly routes = [
    { method: "POST", path: "/mcp", handle: (exchange: Exchange) => this.#post(exchange) },
    { method: "POST", path: "/", handle: (exchange: Exchange) => this.#post(exchange) },
    { method: "GET", path: "/mcp", handle: (exchange: Exchange) => this.#get(exchange) },
    { method: "DELETE", path: "/mcp", handle: (exchange: Exchange) => this.#delete(exchange) },
  ] as const;
  readonly #context: DoorContext;
  readonly #sessions: Sessions;
  readonly #stopListening: () => void;

  constructor(context: DoorContext) {
    this.#context = context;
    this.#sessions = new Sessions(context.limits);
    this.#stopListening = context.gateway.onToolsChanged(() => this.#sessions.broadcast(TOOLS_CHANGED));
  }

  close(): void {
    this.#stopListening();
    this.#sessions.close();
  }

  async #post(exchange: Exchange): Promise<void> {
    const session = this.#sessionOf(exchange);
    const message = readMessage(await exchange.readBody(), this.#context.limits());
    if (message.kind === "reject") return refuse(exchange, message.id, message.error);
    if (message.kind === "answer") return accept(exchange);
    if (!isRequest(message)) {
      session?.conversation.notified(message);
      return accept(exchange);
    }
    if (message.method === "initialize" && !session) return this.#initialize(exchange, message);
    const conversation = session?.conversation ?? this.#converse(exchange, !exchange.header("mcp-protocol-version"));
    return this.#answer(exchange, conversation, message, session !== undefined);
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
    const conversation = this.#converse(exchange, false);
    let session: Session;
    try {
      session = this.#sessions.open(exchange.principal, conversation);
    } catch (cause) {
      return refuse(exchange, message.id, toZaguanError(cause));
    }
    const { text = "" } = await conversation.answer(message, { language: exchange.language, notify: () => {} });
    exchange.reply(200, text, { ...JSON_TYPE, "mcp-session-id": session.id });
  }

  /**
   * A caller that hangs up has cancelled only if it came without a session: by the 2025 revisions a lost connection is
   * no cancellation.
   */
  async #answer(exchange: Exchange, conversation: Conversation, message: Request, inSession: boolean): Promise<void> {
    let stream: EventStream | undefined;
    const left = inSession ? undefined : leaving(exchange);
    const notify = (text: string) => {
      if (!acceptsEvents(exchange) || exchange.response.destroyed) return;
      stream ??= new EventStream(exchange.response);
      stream.send(text);
    };
    const { text, error } = await conversation.answer(message, { language: exchange.language, notify, signal: left });
    const body = text ?? encodeError(message.id, rpcError(error ?? new ZaguanError("CANCELLED"), exchange.language));
    if (stream) {
      stream.send(body);
      stream.end();
    } else if (error && !inSession) exchange.reply(error.row.http, body, failureHeaders(error));
    else exchange.reply(200, body);
  }

  /** Every request passes here, so its revision is checked here too. */
  #sessionOf(exchange: Exchange): Session | undefined {
    checkVersion(exchange);
    const id = exchange.header("mcp-session-id");
    return id === undefined ? undefined : this.#sessions.find(id, exchange.principal);
  }

  #converse(exchange: Exchange, bare: boolean): Conversation {
    const { gateway, report } = this.#context;
    return new Conversation({ gateway, report, door: this.name, principal: exchange.principal, bare });
  }
}

function isRequest(call: RpcCall): call is Request {
  return call.id !== undefined;
}

function checkVersion(exchange: Exchange): void {
  const version = exchange.header("mcp-protocol-version");
  if (version === undefined || isHandshakeVersion(version)) return;
  throw new ZaguanError("UNSUPPORTED_VERSION", {
    params: { version: version.slice(0, 40) },
    data: { supported: HANDSHAKE_VERSIONS, requested: version.slice(0, 40) },
  });
}

function acceptsEvents(exchange: Exchange): boolean {
  return exchange.header("accept")?.includes("text/event-stream") ?? false;
}

function leaving(exchange: Exchange): AbortSignal {
  const controller = new AbortController();
  exchange.response.on("close", () => {
    if (!exchange.response.writableEnded) controller.abort();
  });
  return controller.signal;
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
