/**
 * The server side of MCP for the stateless revisions: every request stands for itself, closing the connection cancels
 * it, and nothing is remembered between two of them. What has gone from the protocol is unknown here.
 */
import type { ListedTool } from "../../core/gateway-contract.ts";
import { ZaguanError } from "../../errors.ts";
import { say } from "../../messages/catalogue.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { memberString, type RpcCall, type RpcMessage } from "../../protocol/json-rpc/message.ts";
import type { Era } from "../../protocol/mcp/classify.ts";
import { metaBesideEnvelope } from "../../protocol/mcp/envelope.ts";
import { type ParamHeader, paramHeaders, paramMismatch } from "../../protocol/mcp/headers.ts";
import { stampResult, withMembers } from "../../protocol/mcp/stamp.ts";
import { SUPPORTED_VERSIONS } from "../../protocol/mcp/versions.ts";
import type { DoorContext, Exchange } from "../door.ts";
import { leaving } from "../http/caller.ts";
import { argumentsOf, notByCaller } from "./conversation.ts";
import { tellable } from "./failure.ts";
import { Listeners } from "./listeners.ts";
import { ModernReply } from "./modern-reply.ts";
import { progressSink } from "./progress.ts";
import { CAPABILITIES, SELF_META } from "./self.ts";
import { HTTP_PAGE_CHARS, toolPage } from "./tool-pages.ts";

type Request = RpcCall & { readonly id: string };
type Context = Pick<DoorContext, "gateway" | "limits" | "report">;
/** Resolves with the text of the result. */
type Method = (this: Modern, exchange: Exchange, call: Request, reply: ModernReply) => Promise<string> | string;

/** Versions and capabilities change with a new start alone. */
const DISCOVERY_TTL_MS = 60_000;
/** Tools come and go at any moment, and few clients listen: a kept list would soon be a wrong one. */
const LIST_TTL_MS = 0;

export class Modern {
  readonly #context: Context;
  readonly #door: string;
  readonly #listeners: Listeners;

  constructor(context: Context, door: string) {
    this.#context = context;
    this.#door = door;
    this.#listeners = new Listeners(context.gateway, () => context.limits().sessions);
  }

  /** Answers what is not of the handshake era; never rejects. */
  async take(exchange: Exchange, message: RpcMessage, era: Exclude<Era, { era: "handshake" }>): Promise<void> {
    const id = message.id ?? "null";
    if (era.era === "reject") return new ModernReply(exchange, id).refuse(era.error);
    const { call } = era;
    if (!isRequest(call)) return exchange.reply(202, "");
    const reply = new ModernReply(exchange, id);
    try {
      if (call.method === "subscriptions/listen") return this.#listeners.listen(exchange, call);
      reply.result(await methodOf(call).call(this, exchange, call, reply));
    } catch (cause) {
      reply.failure(tellable(cause, this.#context.report));
    }
  }

  close(): void {
    this.#listeners.close();
  }

  discover(exchange: Exchange): string {
    const instructions = say(exchange.language, "page.instructions");
    const result = { supportedVersions: SUPPORTED_VERSIONS, capabilities: CAPABILITIES, instructions };
    return withMembers(JSON.stringify(result), cacheable(DISCOVERY_TTL_MS));
  }

  async listTools(exchange: Exchange, call: Request): Promise<string> {
    const tools = await this.#context.gateway.listTools(exchange.principal, exchange.language);
    const page = toolPage(tools, memberString(call.text, call.members, "cursor"), HTTP_PAGE_CHARS);
    return withMembers(page.text, cacheable(LIST_TTL_MS));
  }

  async callTool(exchange: Exchange, call: Request, reply: ModernReply): Promise<string> {
    const tool = memberString(call.text, call.members, "name");
    if (tool === undefined) {
      throw new ZaguanError("INVALID_PARAMS", { params: { reason: "'name' must be the name of a tool" } });
    }
    const { principal, language } = exchange;
    const signal = leaving(exchange);
    const args = argumentsOf(call);
    await this.#checkParamHeaders(exchange, tool, args);
    try {
      const onProgress = progressSink(call, (message) => reply.notify(message));
      const meta = metaBesideEnvelope(call);
      const asked = { tool, args, meta, principal, language, door: this.#door, signal, onProgress };
      return stampResult((await this.#context.gateway.call(asked)).text, SELF_META);
    } catch (cause) {
      throw signal.aborted ? cause : notByCaller(cause);
    }
  }

  async #checkParamHeaders(exchange: Exchange, tool: string, args: Payload): Promise<void> {
    const tools = await this.#context.gateway.listTools(exchange.principal, exchange.language);
    const wanted = wantedHeaders(tools, tool);
    if (wanted.length === 0) return;
    const wrong = paramMismatch(wanted, args.value, (name) => exchange.header(name));
    if (wrong) throw wrong;
  }
}

const METHODS: Readonly<Record<string, Method>> = Object.assign(Object.create(null), {
  "server/discover": Modern.prototype.discover,
  "tools/list": Modern.prototype.listTools,
  "tools/call": Modern.prototype.callTool,
});

/** By schema, which lists share until it changes. */
const headersOfSchema = new WeakMap<object, readonly ParamHeader[]>();

function wantedHeaders(tools: readonly ListedTool[], name: string): readonly ParamHeader[] {
  const schema = tools.find((tool) => isNamed(tool, name))?.definition.inputSchema;
  if (!schema) return [];
  const wanted = headersOfSchema.get(schema) ?? paramHeaders(schema);
  headersOfSchema.set(schema, wanted);
  return wanted;
}

function isNamed({ source, definition }: ListedTool, name: string): boolean {
  return definition.name === name || `${source}__${definition.name}` === name;
}

/** Private: what a principal may see is its own. */
function cacheable(ttlMs: number): string {
  return `"resultType":"complete","ttlMs":${ttlMs},"cacheScope":"private",${SELF_META}`;
}

function methodOf(call: RpcCall): Method {
  const method = METHODS[call.method];
  if (!method) throw new ZaguanError("UNKNOWN_METHOD", { params: { method: call.method.slice(0, 100) } });
  return method;
}

function isRequest(call: RpcCall): call is Request {
  return call.id !== undefined;
}
