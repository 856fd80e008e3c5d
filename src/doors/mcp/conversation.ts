/**
 * The server side of MCP for the revisions with a handshake, on whatever carries it: one conversation with one client.
 * It answers requests with message texts; who sends them, and how, is the door's business.
 */
import type { Caller, Principal } from "../../core/call.ts";
import type { Gateway } from "../../core/gateway-contract.ts";
import { ZaguanError } from "../../errors.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import { memberOf } from "../../protocol/json/scan.ts";
import {
  encodeError,
  encodeNotification,
  encodeResult,
  memberString,
  memberText,
  type RpcCall,
} from "../../protocol/json-rpc/message.ts";
import { negotiate } from "../../protocol/mcp/versions.ts";
import { errorResult, rpcError, tellable } from "./failure.ts";
import { progressSink } from "./progress.ts";
import { RunningRequests } from "./running-requests.ts";
import { CAPABILITIES, SELF } from "./self.ts";
import { HTTP_PAGE_CHARS, toolPage } from "./tool-pages.ts";

export interface ConversationOptions {
  readonly gateway: Gateway;
  readonly door: string;
  readonly principal: Principal;
  /** Bare JSON-RPC (no session): wrong arguments are protocol errors there, and errors have HTTP statuses. */
  readonly bare: boolean;
  report(cause: unknown): string;
}

/** What belongs to one request and not to the conversation. */
export interface RequestContext {
  readonly language: Language;
  /** Takes notifications that belong to this request (progress), before its answer. */
  notify(message: string): void;
  /** Aborted when the caller left for good. */
  readonly signal?: AbortSignal | undefined;
  /** Where a source's questions go, if the client can be asked. */
  readonly client?: Caller | undefined;
}

export interface Answer {
  /** Undefined if nothing is to be sent: the caller has cancelled. */
  readonly text: string | undefined;
  readonly error: ZaguanError | undefined;
}

type Method = (this: Conversation, call: RpcCall, context: RequestContext) => Promise<Payload> | Payload;

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

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /** Answers one request; never rejects. */
  async answer(call: RpcCall & { readonly id: string }, context: RequestContext): Promise<Answer> {
    try {
      const method = METHODS[call.method];
      if (!method) throw new ZaguanError("UNKNOWN_METHOD", { params: { method: call.method.slice(0, 100) } });
      const result = await method.call(this, call, context);
      return { text: encodeResult(call.id, result), error: undefined };
    } catch (cause) {
      return this.#failed(call.id, tellable(cause, this.#options.report), context.language);
    }
  }

  /** Takes a notification. */
  notified(call: RpcCall): void {
    if (call.method === "notifications/cancelled") this.#running.cancel(call);
  }

  /** The client is gone: nobody waits for what still runs. */
  end(): void {
    this.#running.cancelAll();
  }

  initialize(call: RpcCall, context: RequestContext): Payload {
    const protocolVersion = negotiate(memberString(call.text, call.members, "protocolVersion"));
    return Payload.ofValue({
      protocolVersion,
      capabilities: CAPABILITIES,
      serverInfo: SELF,
      instructions: say(context.language, "page.instructions"),
    });
  }

  async listTools(call: RpcCall, context: RequestContext): Promise<Payload> {
    const tools = await this.#options.gateway.listTools(this.#options.principal, context.language);
    return toolPage(tools, memberString(call.text, call.members, "cursor"), HTTP_PAGE_CHARS);
  }

  async callTool(call: RpcCall & { readonly id?: string | undefined }, context: RequestContext): Promise<Payload> {
    const tool = memberString(call.text, call.members, "name");
    if (tool === undefined) throw invalid("'name' must be the name of a tool");
    const controller = this.#running.begin(call.id as string, context.signal);
    try {
      return await this.#options.gateway.call({
        tool,
        args: argumentsOf(call),
        meta: metaOf(call),
        principal: this.#options.principal,
        language: context.language,
        door: this.#options.door,
        signal: controller.signal,
        caller: context.client,
        onProgress: progressSink(call, (message) => context.notify(message)),
      });
    } catch (cause) {
      throw controller.signal.aborted ? cause : notByCaller(cause);
    } finally {
      this.#running.end(call.id as string, controller);
    }
  }

  #failed(id: string, error: ZaguanError, language: Language): Answer {
    if (error.code === "CANCELLED") return { text: undefined, error };
    // The official revisions want the model to see what was wrong with its arguments.
    if (error.code === "INVALID_ARGUMENT" && !this.#options.bare) {
      return { text: encodeResult(id, errorResult(error, language)), error: undefined };
    }
    return { text: encodeError(id, rpcError(error, language)), error };
  }
}

const METHODS: Readonly<Record<string, Method>> = Object.assign(Object.create(null), {
  initialize: Conversation.prototype.initialize,
  ping: () => EMPTY_OBJECT,
  "tools/list": Conversation.prototype.listTools,
  "tools/call": Conversation.prototype.callTool,
});

export const TOOLS_CHANGED: string = encodeNotification("notifications/tools/list_changed");

export function argumentsOf(call: RpcCall): Payload {
  const member = memberOf(call.members, "arguments");
  const text = memberText(call.text, call.members, "arguments");
  if (!member || text === undefined) return EMPTY_OBJECT;
  if (member.kind !== "object") throw invalid("'arguments' must be an object");
  return Payload.ofText(text);
}

function metaOf(call: RpcCall): Payload | undefined {
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
