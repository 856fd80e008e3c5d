/**
 * A small MCP server of revision 2026-07-28, and of no other, without a transport: it takes messages and says its own. It
 * keeps everything that it was told. For tests of our client side.
 */
export const STUB_VERSION = "2026-07-28";

export type Fields = Readonly<Record<string, unknown>>;

/** What somebody looks into who knows its form. */
export type Known = ReturnType<typeof JSON.parse>;

export interface StubMessage {
  readonly jsonrpc?: string;
  readonly id?: number;
  readonly method: string;
  readonly params?: Known;
}

export type Say = (message: Fields) => void;

interface Listener {
  readonly filter: {
    readonly toolsListChanged?: boolean;
    readonly resourceSubscriptions?: readonly string[];
  };
  readonly say: Say;
}

export interface Outcome {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const META = "io.modelcontextprotocol/";
const OPEN_SCHEMA: Fields = { type: "object" };

/**
 * ask: answers when it knows two things of its client; nag: asks again and again; later: wants to be asked again; wait:
 * never answers; log and progress: say something first; change: tells that the tools changed.
 */
const NAMES = ["echo", "ask", "nag", "later", "wait", "log", "progress", "change"];

export class Stub2026 {
  /** Every message that came. */
  readonly seen: StubMessage[] = [];
  /** Open subscriptions, by the id of their request. */
  readonly listeners = new Map<number, Listener>();
  capabilities: Fields = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} };
  supportedVersions: readonly string[] = [STUB_VERSION];
  /** The resources of which it can tell. */
  uris: readonly string[] = ["test://a", "test://b"];
  tools: readonly Fields[] = NAMES.map((name) => ({ name, inputSchema: OPEN_SCHEMA, "x-new": 1 }));

  /** @param say sends one message towards whoever sent this one; closing is the transport's business */
  take(message: StubMessage, say: Say): void {
    this.seen.push(message);
    const { id, method, params } = message;
    if (method === "notifications/cancelled") this.listeners.delete(params.requestId);
    if (id === undefined) return;
    const outcome = this.refusal(params) ?? this.#answer(message, id, say);
    if (outcome) say({ jsonrpc: "2.0", id, ...outcome });
  }

  /** What it was asked of this kind. */
  asked(method: string): readonly StubMessage[] {
    return this.seen.filter((message) => message.method === method);
  }

  changeTools(): void {
    this.#tell("notifications/tools/list_changed", {}, (filter) => filter.toolsListChanged);
  }

  update(uri: string): void {
    this.#tell("notifications/resources/updated", { uri }, (filter) => filter.resourceSubscriptions?.includes(uri));
  }

  /** What is wrong with a request's introduction. */
  refusal(params: StubMessage["params"]): Outcome | undefined {
    const meta = params?._meta ?? {};
    const requested = meta[`${META}protocolVersion`];
    const data = { supported: this.supportedVersions, requested };
    if (requested !== STUB_VERSION) return { error: { code: -32022, message: "Unsupported protocol version", data } };
    const isIntroduced = typeof meta[`${META}clientCapabilities`] === "object";
    return isIntroduced ? undefined : { error: { code: -32602, message: "clientCapabilities is missing" } };
  }

  #tell(method: string, params: Fields, wants: (filter: Listener["filter"]) => boolean | undefined): void {
    for (const [id, { filter, say }] of this.listeners) {
      const _meta = { [`${META}subscriptionId`]: id };
      if (wants(filter)) say({ jsonrpc: "2.0", method, params: { ...params, _meta } });
    }
  }

  #answer(message: StubMessage, id: number, say: Say): Outcome | undefined {
    const { method } = message;
    if (method === "server/discover") return result(this.#discovery());
    if (method === "tools/list") return result({ tools: this.tools, ttlMs: 0, cacheScope: "private" });
    if (method === "tools/call") return this.#call(message, say);
    if (method === "resources/read") return result({ contents: [], ttlMs: 0, cacheScope: "private" });
    if (method === "subscriptions/listen") return this.#listen(message, id, say);
    return { error: { code: -32601, message: `Method not found: ${method}` } };
  }

  #discovery(): Fields {
    const { supportedVersions, capabilities } = this;
    const _meta = { [`${META}serverInfo`]: { name: "stub", version: "1" } };
    return { supportedVersions, capabilities, ttlMs: 0, cacheScope: "private", _meta };
  }

  #listen({ params }: StubMessage, id: number, say: Say): undefined {
    const { resourceSubscriptions, ...filter } = params.notifications;
    const granted = resourceSubscriptions?.filter((uri: string) => this.uris.includes(uri));
    const notifications = granted ? { ...filter, resourceSubscriptions: granted } : filter;
    this.listeners.set(id, { filter: notifications, say });
    const method = "notifications/subscriptions/acknowledged";
    say({ jsonrpc: "2.0", method, params: { notifications, _meta: { [`${META}subscriptionId`]: id } } });
    return undefined;
  }

  #call({ params }: StubMessage, say: Say): Outcome | undefined {
    const { name, arguments: args, inputResponses, requestState, _meta } = params;
    if (name === "wait") return undefined;
    if (name === "change") this.changeTools();
    if (name === "log") this.#log(_meta[`${META}logLevel`], args, say);
    if (name === "progress") this.#progress(_meta.progressToken, say);
    if (name === "later" && requestState !== "once more") return inputRequired("once more");
    if (name === "nag") return inputRequired("again", { q: { method: "elicitation/create", params: {} } });
    if (name === "ask" && !inputResponses) return inputRequired(`for ${args.who} é"`, questionsFor(args.who));
    const told = { args, inputResponses, requestState, client: _meta[`${META}clientInfo`]?.name };
    return result({ content: [{ type: "text", text: JSON.stringify(told) }] });
  }

  #log(level: unknown, data: unknown, say: Say): void {
    if (level) say({ jsonrpc: "2.0", method: "notifications/message", params: { level, data } });
  }

  #progress(progressToken: unknown, say: Say): void {
    say({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 0.5 } });
  }
}

function result(members: Fields): Outcome {
  return { result: { resultType: "complete", ...members } };
}

function inputRequired(requestState: string, inputRequests?: Fields): Outcome {
  return { result: { resultType: "input_required", requestState, inputRequests } };
}

function questionsFor(who: string): Fields {
  return {
    name: { method: "elicitation/create", params: { message: `who is ${who}?` } },
    roots: { method: "roots/list" },
  };
}
