/** The whole catalogue, for clients of the stateless revisions. */
import type { Gateway } from "../../../core/gateway-contract.ts";
import type { OffersGateway } from "../../../core/offers.ts";
import { ZaguanError } from "../../../errors.ts";
import { say } from "../../../messages/catalogue.ts";
import { Payload } from "../../../protocol/json/payload.ts";
import { memberString } from "../../../protocol/json-rpc/message.ts";
import { metaBesideEnvelope } from "../../../protocol/mcp/envelope.ts";
import { CACHEABLE, cacheable, stampResult } from "../../../protocol/mcp/stamp.ts";
import { SUPPORTED_VERSIONS } from "../../../protocol/mcp/versions.ts";
import { Stop } from "../../../stop.ts";
import { argumentsOf, hasArguments, notByCaller, onUnasked } from "../conversation.ts";
import { OffersDesk } from "../offers.ts";
import { notificationSink, progressSink } from "../progress.ts";
import { CAPABILITIES, SELF_META } from "../self.ts";
import { HTTP_PAGE_CHARS, toolPage } from "../tool-pages.ts";
import type { StatelessContext, StatelessFace, StatelessRequest } from "./face.ts";
import { type Filter, Listeners, type Origin, wantedUris } from "./listeners.ts";
import { checkParamHeaders } from "./param-headers.ts";
import { callerOf, Suspensions } from "./suspensions.ts";

/** Resolves with the text of the result. */
type Method = (this: StatelessHub, call: StatelessRequest, context: StatelessContext) => Promise<string> | string;

export interface StatelessHubOptions {
  readonly gateway: Gateway;
  readonly offers: OffersGateway;
  readonly door: string;
  /** How many may listen, and how many calls may wait for their client. */
  limit(): number;
}

/** Versions and capabilities change with a new start alone. */
const DISCOVERY_TTL_MS = 60_000;
/** Tools come and go at any moment, and few clients listen: a kept list would soon be a wrong one. */
const LIST_TTL_MS = 0;

export class StatelessHub implements StatelessFace {
  readonly untouched = false;
  readonly #options: StatelessHubOptions;
  readonly #offers: OffersDesk;
  readonly #listeners: Listeners;
  readonly #suspensions: Suspensions;

  constructor(options: StatelessHubOptions) {
    this.#options = options;
    this.#offers = new OffersDesk(options.offers, options.door);
    this.#listeners = new Listeners(options.limit);
    this.#suspensions = new Suspensions(options.limit);
  }

  async answer(call: StatelessRequest, context: StatelessContext): Promise<string> {
    try {
      return await (METHODS[call.method] ?? StatelessHub.prototype.askOffers).call(this, call, context);
    } catch (cause) {
      throw context.signal.aborted ? cause : notByCaller(cause);
    }
  }

  get listening(): number {
    return this.#listeners.size;
  }

  close(): void {
    this.#listeners.close();
    this.#suspensions.close();
  }

  discover(_call: StatelessRequest, { language }: StatelessContext): string {
    const instructions = say(language, "page.instructions");
    const result = { supportedVersions: SUPPORTED_VERSIONS, capabilities: CAPABILITIES, instructions };
    return stampResult(JSON.stringify(result), { ...cacheable(DISCOVERY_TTL_MS), ...SELF_META });
  }

  listen(call: StatelessRequest, context: StatelessContext): Promise<string> {
    return this.#listeners.listen(call, context, this.#origin(call, context));
  }

  async listTools(call: StatelessRequest, { principal, language }: StatelessContext): Promise<string> {
    const tools = await this.#options.gateway.listTools(principal, language);
    const page = toolPage(tools, memberString(call.text, call.members, "cursor"), HTTP_PAGE_CHARS);
    return stampResult(page.text, { ...cacheable(LIST_TTL_MS), ...SELF_META });
  }

  async callTool(call: StatelessRequest, context: StatelessContext): Promise<string> {
    const tool = memberString(call.text, call.members, "name");
    if (tool === undefined) {
      throw new ZaguanError("INVALID_PARAMS", { params: { reason: "'name' must be the name of a tool" } });
    }
    const { gateway, door } = this.#options;
    const { principal, language } = context;
    const args = argumentsOf(call);
    const params = hasArguments(call) ? call.params : undefined;
    checkParamHeaders(gateway.findTool(principal, tool), args, context.header);
    const meta = params ? undefined : metaBesideEnvelope(call);
    const request = { tool, args, params, meta, principal, language, door };
    const result = await this.#suspensions.carry(call, context, (caller, signal, notify) => {
      const told = { onProgress: progressSink(call, notify), onNotification: notificationSink(notify) };
      return gateway.call({ ...request, caller, signal, ...told });
    });
    return stampResult(result, SELF_META);
  }

  /** Prompts, resources, and what has no name here. */
  async askOffers(call: StatelessRequest, context: StatelessContext): Promise<string> {
    const { principal, language } = context;
    const answer = await this.#suspensions.carry(call, context, async (caller, signal, notify) => {
      const answer = this.#offers.answer(call, { principal, language, caller, signal, notify });
      if (!answer) throw new ZaguanError("UNKNOWN_METHOD", { params: { method: call.method.slice(0, 100) } });
      return answer;
    });
    return stampResult(answer, { ...(CACHEABLE.has(call.method) && cacheable(LIST_TTL_MS)), ...SELF_META });
  }

  #origin(call: StatelessRequest, context: StatelessContext): Origin {
    return {
      honour: async (filter) => {
        const { toolsListChanged, promptsListChanged, resourcesListChanged } = filter;
        const lists = { toolsListChanged, promptsListChanged, resourcesListChanged };
        const wanted = Object.entries(lists).filter(([, isWanted]) => isWanted === true);
        const { uris, release } = await this.#subscribe(call, context, filter);
        return {
          honoured: { ...Object.fromEntries(wanted), ...(uris.length > 0 && { resourceSubscriptions: uris }) },
          release,
        };
      },
      onNotification: (listener) => onUnasked(this.#options, listener),
    };
  }

  /** Those that some source lets us subscribe to. */
  async #subscribe(call: StatelessRequest, context: StatelessContext, filter: Filter) {
    const asked = wantedUris(filter);
    const asking = { ...context, caller: callerOf(call, context) };
    const about = (uri: string): StatelessRequest => ({ ...call, params: Payload.ofValue({ uri }) });
    const done = await Promise.allSettled(asked.map((uri) => this.#offers.subscribe(about(uri), asking)));
    const uris = asked.filter((_, index) => done[index]?.status === "fulfilled");
    const later = { ...asking, signal: new Stop() };
    const release = (): void => {
      for (const uri of uris) this.#offers.unsubscribe(about(uri), later).catch(() => {});
    };
    return { uris, release };
  }
}

const METHODS: Readonly<Record<string, Method>> = Object.assign(Object.create(null), {
  "server/discover": StatelessHub.prototype.discover,
  "subscriptions/listen": StatelessHub.prototype.listen,
  "tools/list": StatelessHub.prototype.listTools,
  "tools/call": StatelessHub.prototype.callTool,
});
