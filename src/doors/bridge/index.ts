/**
 * The bridge of seed 003: MCP for plain HTTP clients, one path for each method, with a session in `X-Session-ID` and what
 * the bridge knows of each request in `bridge_info`. Without that header `POST /mcp/tools/call` is seed 004's: strict
 * JSON-RPC.
 */
import type { CallOptions, CallRequest, CallTrace } from "../../core/call.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { memberString } from "../../protocol/json-rpc/message.ts";
import { NAME, VERSION } from "../../version.ts";
import type { Door, DoorContext, DoorFactory, Exchange, Route } from "../door.ts";
import { CatalogueTarget } from "../mcp/catalogue-target.ts";
import { notByCaller, tellable } from "../mcp/failure.ts";
import { toolCallOf as readToolCall } from "../mcp/tool-call.ts";
import { HTTP_PAGE_CHARS, toolPage } from "../mcp/tool-pages.ts";
import { callOptionsIn, freshnessIn } from "../rest/tool-call.ts";
import { bridgeVoice, needsSession, shownUtc, strictVoice, type Voice } from "./reply.ts";
import {
  type BridgeCall,
  clientIdIn,
  METHODS,
  readHello,
  readRequest,
  readWithoutMethod,
  requestIdIn,
  type SessionWish,
  sessionIdIn,
} from "./request.ts";
import type { BridgeSession } from "./session-index.ts";
import { ToolLists } from "./tool-lists.ts";

export const bridge: DoorFactory = (context) => new Bridge(context);

/** A request in a session, and what its answer will need. */
interface Asked {
  readonly exchange: Exchange;
  readonly call: BridgeCall;
  readonly session: BridgeSession;
  readonly requestId: string;
}

interface Told {
  readonly result: Payload;
  /** `bridge_info`. */
  readonly info: object;
}

type Work = (asked: Asked) => Promise<Told>;

/** The time limit that the seed promises its callers, where the configuration does not say less. */
const USUAL_MS = 30_000;
const CALL_PATH = `/mcp/${METHODS.callTool}`;

class Bridge implements Door {
  readonly name = "bridge";
  readonly routes: readonly Route[];
  readonly #context: DoorContext;
  readonly #lists: ToolLists;
  readonly #target: CatalogueTarget;

  constructor(context: DoorContext) {
    this.#context = context;
    this.#lists = new ToolLists(context.gateway, context.statistics);
    this.#target = new CatalogueTarget({ ...context, door: this.name });
    const offers: Work = (asked) => this.#askOffers(asked);
    this.routes = [
      this.#route("POST", `/mcp/${METHODS.initialize}`, (exchange) => this.#initialize(exchange)),
      this.#route("DELETE", "/mcp/session", (exchange) => this.#end(exchange)),
      this.#inSession(METHODS.listTools, (asked) => this.#listTools(asked)),
      this.#route("GET", `/mcp/${METHODS.listTools}`, (exchange) => this.#listStrictly(exchange)),
      this.#route("POST", CALL_PATH, (exchange) => this.#call(exchange)),
      this.#inSession(METHODS.listResources, offers),
      this.#inSession(METHODS.readResource, offers),
      this.#inSession(METHODS.listTemplates, offers),
      this.#inSession(METHODS.listPrompts, offers),
      this.#inSession(METHODS.getPrompt, offers),
    ];
  }

  close(): void {
    this.#lists.close();
  }

  /** A failure before the id is known is answered with id null: at the paths of seed 004 as strict JSON-RPC. */
  #route(method: Route["method"], path: string, handle: Route["handle"]): Route {
    const isStrict = (exchange: Exchange): boolean =>
      method === "GET" || (path === CALL_PATH && sessionIdIn(exchange) === undefined);
    const voiceOf = (exchange: Exchange): Voice =>
      isStrict(exchange) ? strictVoice(exchange) : bridgeVoice(exchange, requestIdIn(exchange));
    return { method, path, needs: "call", handle, fail: (exchange, error) => voiceOf(exchange).fail("null", error) };
  }

  #inSession(method: string, work: Work): Route {
    return this.#route("POST", `/mcp/${method}`, (exchange) => this.#serve(exchange, method, work));
  }

  async #initialize(exchange: Exchange): Promise<void> {
    const voice = bridgeVoice(exchange, requestIdIn(exchange));
    const hello = readHello(await exchange.readBody(), this.#context.limits());
    const { pending, estimatedWaitMs } = this.#context.queue();
    await this.#answer(exchange, voice, hello.id, async () => {
      const result = await this.#begin(exchange, hello.wish(), pending);
      return { result, info: { queue_position: pending, estimated_wait_ms: Math.round(estimatedWaitMs) } };
    });
  }

  async #begin(exchange: Exchange, wish: SessionWish, queued: number): Promise<Payload> {
    const wanted = { ...wish, clientId: clientIdIn(exchange) };
    const session = await this.#context.bridgeSessions.begin(exchange.principal, wanted, queued);
    return Payload.ofValue({
      protocolVersion: session.protocolVersion,
      capabilities: { tools: {}, resources: {}, prompts: {} },
      serverInfo: { name: NAME, version: VERSION },
      session_id: session.id,
      expires_at: shownUtc(session.expiresAt),
    });
  }

  async #end(exchange: Exchange): Promise<void> {
    const id = sessionOf(exchange);
    await this.#context.bridgeSessions.catchUp(id);
    await this.#context.bridgeSessions.end(id, exchange.principal);
    exchange.reply(204, "");
  }

  async #serve(exchange: Exchange, method: string, work: Work): Promise<void> {
    const requestId = requestIdIn(exchange);
    const request = readRequest(await exchange.readBody(), method, this.#context.limits());
    await this.#answer(exchange, bridgeVoice(exchange, requestId), request.id, async () => {
      if (request.kind === "reject") throw request.error;
      const id = sessionOf(exchange);
      await this.#context.bridgeSessions.catchUp(id);
      const session = this.#context.bridgeSessions.enter(id, exchange.principal);
      try {
        return await work({ exchange, call: request, session, requestId });
      } finally {
        this.#context.bridgeSessions.leave(session);
      }
    });
  }

  /** The id is known here, so that a failure is answered with it. */
  async #answer({ left }: Exchange, voice: Voice, id: string, work: () => Promise<Told>): Promise<void> {
    try {
      const { result, info } = await work();
      voice.answer(id, result, info);
    } catch (cause) {
      voice.fail(id, tellable(left.aborted ? cause : notByCaller(cause), this.#context.report));
    }
  }

  async #listTools({ exchange, call }: Asked): Promise<Told> {
    const { principal, language } = exchange;
    const { tools, cached, expiresAt } = await this.#lists.list(principal, language, freshnessIn(exchange));
    const result = toolPage(tools, memberString(call.text, call.members, "cursor"), HTTP_PAGE_CHARS);
    return { result, info: { cached, cache_expires: shownUtc(expiresAt), total_tools: tools.length } };
  }

  /** Seed 004's list, for whoever looks at it with a browser. */
  async #listStrictly(exchange: Exchange): Promise<void> {
    const tools = await this.#context.gateway.listTools(exchange.principal, exchange.language);
    const { text } = toolPage(tools, undefined, HTTP_PAGE_CHARS);
    exchange.reply(200, `{"jsonrpc":"2.0","result":${text}}`);
  }

  #call(exchange: Exchange): Promise<void> {
    if (sessionIdIn(exchange) === undefined) return this.#callStrictly(exchange);
    return this.#serve(exchange, METHODS.callTool, (asked) => this.#callTool(asked));
  }

  async #callStrictly(exchange: Exchange): Promise<void> {
    const request = readWithoutMethod(await exchange.readBody(), METHODS.callTool, this.#context.limits());
    await this.#answer(exchange, strictVoice(exchange), request.id, async () => {
      if (request.kind === "reject") throw request.error;
      return { result: await this.#context.gateway.call(toolCallOf(request, exchange)), info: {} };
    });
  }

  #callTool(asked: Asked): Promise<Told> {
    const { call, exchange } = asked;
    return measured(asked, (options) => this.#context.gateway.call({ ...toolCallOf(call, exchange), ...options }));
  }

  #askOffers(asked: Asked): Promise<Told> {
    const { principal, language, left } = asked.exchange;
    const asking = { principal, language, signal: left, notify: () => {} };
    return measured(asked, (callOptions) => this.#target.request(asked.call, { ...asking, callOptions }));
  }
}

/** Runs a call as its headers want it, and tells how it went. */
async function measured(
  { exchange, session, requestId }: Asked,
  run: (options: CallOptions) => Promise<Payload>,
): Promise<Told> {
  const trace: CallTrace = { queuedMs: 0, attempts: 0, cached: false, entered: undefined, toolFailed: false };
  const startedAt = performance.now();
  const result = await run({ ...callOptionsIn(exchange), usualMs: USUAL_MS, trace });
  return { result, info: infoOf(trace, startedAt, session, requestId) };
}

/** `bridge_info` of a call. */
function infoOf({ queuedMs, cached }: CallTrace, startedAt: number, { id }: BridgeSession, requestId: string): object {
  return {
    execution_time_ms: Math.max(0, Math.round(performance.now() - startedAt - queuedMs)),
    queue_wait_ms: Math.round(queuedMs),
    session_id: id,
    cached,
    request_id: requestId,
  };
}

function sessionOf(exchange: Exchange): string {
  const id = sessionIdIn(exchange);
  if (id === undefined) throw needsSession();
  return id;
}

function toolCallOf(call: BridgeCall, { principal, language, left }: Exchange): CallRequest {
  return { ...readToolCall(call), principal, language, door: "bridge", signal: left };
}
