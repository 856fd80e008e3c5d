/**
 * The whole catalogue as a target of MCP clients: the tools of all sources under their public names, and prompts and
 * resources, each asked of whichever source it concerns. Who may use only some of it, as an agent, sees only that.
 */
import type { Caller, NotificationSink, Principal, ToolDefinition } from "../../core/call.ts";
import type { Gateway } from "../../core/gateway.ts";
import type { AskRequest, Definition, OfferKind, OffersGateway } from "../../core/offers.ts";
import { ZaguanError } from "../../errors.ts";
import { LightAbort } from "../../light-abort.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import { EMPTY_OBJECT, type Payload } from "../../protocol/json/payload.ts";
import { memberString, type RpcCall } from "../../protocol/json-rpc/message.ts";
import { isLogLevel } from "../../protocol/mcp/client-capabilities.ts";
import type { ServerFace } from "../../protocol/mcp/face.ts";
import { devicePage } from "./device-dialect.ts";
import { unknownMethod } from "./failure.ts";
import { CAPABILITIES, SELF } from "./self.ts";
import type { Asker, McpTarget, Subscription } from "./target.ts";
import { notificationSink, progressSink, toolCallOf } from "./tool-call.ts";
import { HTTP_PAGE_CHARS, type ListStyle, pageOf, toolPage } from "./tool-pages.ts";

/** Prompts and resources come from the same hub as the tools: `DoorContext.offers`. */
export interface CatalogueTargetOptions {
  readonly gateway: Gateway;
  readonly offers: OffersGateway;
  /** For the log. */
  readonly door: string;
}

type Method = (this: CatalogueTarget, call: RpcCall, by: Asker) => Promise<Payload> | Payload;

export class CatalogueTarget implements McpTarget {
  readonly scope = "";
  readonly verbatim = false;
  readonly #gateway: Gateway;
  readonly #offers: OffersGateway;
  readonly #door: string;

  constructor({ gateway, offers, door }: CatalogueTargetOptions) {
    this.#gateway = gateway;
    this.#offers = offers;
    this.#door = door;
  }

  faceNow({ language }: Pick<Asker, "language">): ServerFace {
    return faceIn(language);
  }

  async face(by: Asker): Promise<ServerFace> {
    return this.faceNow(by);
  }

  findTool(principal: Principal, name: string): ToolDefinition | undefined {
    return this.#gateway.findTool(principal, name);
  }

  async listTools(call: RpcCall, { principal, language }: Asker, style: ListStyle = "official"): Promise<Payload> {
    const tools = await this.#gateway.listTools(principal, language);
    const cursor = memberString(call.text, call.members, "cursor");
    return style === "device" ? devicePage(tools, cursor) : toolPage(tools, cursor, HTTP_PAGE_CHARS, style);
  }

  callTool(call: RpcCall, { principal, language, signal, caller, notify }: Asker): Promise<Payload> {
    const { tool, args, params, meta } = toolCallOf(call);
    return this.#gateway.call({
      tool,
      args,
      params,
      meta,
      principal,
      language,
      door: this.#door,
      signal,
      caller,
      onProgress: progressSink(call, notify),
      onNotification: notificationSink(notify),
    });
  }

  async request(call: RpcCall, by: Asker): Promise<Payload> {
    const method = METHODS[call.method];
    if (!method) throw unknownMethod(call.method);
    return method.call(this, call, by);
  }

  async subscribe(_uri: string, call: RpcCall, by: Asker): Promise<Subscription> {
    await this.#offers.ready();
    const result = await this.#offers.subscribe(this.#about("resources/subscribe", call, by));
    const later = this.#about("resources/unsubscribe", call, { ...by, signal: new LightAbort() });
    const end = async (): Promise<Payload> => {
      // Nobody waits for it: a source that cannot be told has forgotten by itself.
      this.#offers.unsubscribe(later).catch(() => {});
      return EMPTY_OBJECT;
    };
    return { result, end };
  }

  join(caller: Caller, principal: Principal): () => void {
    return this.#offers.join(caller, principal);
  }

  /** No source is meant. */
  notified(): void {}

  watch(listener: NotificationSink): () => void {
    const stops = [
      this.#gateway.onToolsChanged(() => listener("notifications/tools/list_changed", EMPTY_OBJECT)),
      this.#offers.onNotification(listener),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  async ask(call: RpcCall, by: Asker): Promise<Payload> {
    await this.#offers.ready();
    return this.#offers.ask(this.#about(call.method, call, by));
  }

  /** @param key the member by which its items are told apart */
  async list(kind: OfferKind, key: string, call: RpcCall, by: Asker): Promise<Payload> {
    await this.#offers.ready();
    const items = await this.#offers.listFor(kind, this.#about(call.method, call, by));
    const nameOf = (one: Definition): string => String(one[key]);
    const cursor = memberString(call.text, call.members, "cursor");
    return pageOf({ key: kind, items, nameOf, textOf: (one) => JSON.stringify(one) }, cursor, HTTP_PAGE_CHARS);
  }

  #about(method: string, call: RpcCall, by: Asker): AskRequest {
    const { principal, language, signal, caller, notify, callOptions } = by;
    const told = { onProgress: progressSink(call, notify), onNotification: notificationSink(notify) };
    return {
      method,
      params: call.params,
      principal,
      language,
      signal,
      caller,
      door: this.#door,
      ...told,
      ...callOptions,
    };
  }
}

const { ask } = CatalogueTarget.prototype;

const METHODS: Readonly<Record<string, Method>> = Object.assign(Object.create(null), {
  "prompts/list": listOf("prompts", "name"),
  "resources/list": listOf("resources", "uri"),
  "resources/templates/list": listOf("resourceTemplates", "uriTemplate"),
  "prompts/get": ask,
  "resources/read": ask,
  "completion/complete": ask,
  "tasks/get": ask,
  "tasks/update": ask,
  "tasks/cancel": ask,
  // Codecs ask these two only of what is subscribed to already, or is not.
  "resources/subscribe": () => EMPTY_OBJECT,
  "resources/unsubscribe": () => EMPTY_OBJECT,
  // Each source hears the level with the next request that goes there.
  "logging/setLevel": checkLevel,
});

function listOf(kind: OfferKind, key: string): Method {
  return function (call, by) {
    return this.list(kind, key, call, by);
  };
}

function checkLevel(call: RpcCall): Payload {
  if (isLogLevel(memberString(call.text, call.members, "level"))) return EMPTY_OBJECT;
  throw new ZaguanError("INVALID_PARAMS", { params: { reason: "'level' must be one of MCP's log levels" } });
}

const faces = new Map<Language, ServerFace>();

/** The same object for every request in one language, so that what is made of it is made once. */
function faceIn(language: Language): ServerFace {
  const known = faces.get(language);
  if (known) return known;
  const instructions = say(language, "page.instructions");
  const face = {
    capabilities: CAPABILITIES,
    serverInfo: SELF,
    instructions,
    greeting: undefined,
    discovery: undefined,
  };
  faces.set(language, face);
  return face;
}
