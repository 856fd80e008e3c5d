/** One life of a house: its states kept live, its tools, its resources, and the watch over whether it is still there. */
import type { ToolDefinition } from "../../core/call.ts";
import { toZaguanError, ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Ending } from "../../link/ending.ts";
import { HttpStatus, TooSlow, unavailable } from "../../link/http-failures.ts";
import { say } from "../../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import type { ServerFace } from "../../protocol/mcp/face.ts";
import { LiveResources } from "../shared/live-resources.ts";
import { callTool, Refusal } from "../shared/tool-call.ts";
import type { ConnectContext, Connection, SourceHealth, SourceRequest } from "../source.ts";
import { callService, createAutomation, toggleAutomation } from "./acting-tools.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { HomeAssistantOptions, House, Tool } from "./house.ts";
import { HomeLine } from "./line.ts";
import { type Entity, HomeThings, LiveStates } from "./live-states.ts";
import { getEntities, getEntityState, getHistory, listAutomations } from "./reading-tools.ts";
import { Registries } from "./registries.ts";
import { entityResources } from "./resources.ts";
import { siteOf } from "./rest.ts";
import { Services } from "./services.ts";
import { getServices } from "./services-tool.ts";
import { toolsIn } from "./tools.ts";

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["get_entities", getEntities],
  ["get_entity_state", getEntityState],
  ["call_service", callService],
  ["get_history", getHistory],
  ["get_services", getServices],
  ["create_automation", createAutomation],
  ["list_automations", listAutomations],
  ["toggle_automation", toggleAutomation],
]);

const PING_MS = 30_000;
const PONG_MS = 10_000;
const NEVER: CancelSignal = new AbortController().signal;

export class HomeConnection implements Connection {
  readonly face: ServerFace;
  readonly closed: Promise<Ending>;
  readonly things: HomeThings;
  readonly #house: House;
  readonly #resources: LiveResources<Entity>;
  readonly #heartbeat: Heartbeat;

  /** Rejects with a ZaguanError, and leaves nothing behind. */
  static async open(
    options: HomeAssistantOptions,
    context: ConnectContext,
    signal: CancelSignal,
  ): Promise<HomeConnection> {
    const line = await HomeLine.open(options, context.name, context.clock, signal);
    const connection = new HomeConnection(line, options, context);
    const onAbort = (): void => line.end("given up");
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await connection.#begin();
      return connection;
    } catch (cause) {
      await connection.close();
      throw signal.aborted ? signal.reason : cause;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  private constructor(line: HomeLine, options: HomeAssistantOptions, context: ConnectContext) {
    const { name, clock } = context;
    const states = new LiveStates();
    this.#house = {
      name,
      states,
      line,
      services: new Services(line),
      registries: new Registries(line),
      site: siteOf(options, name),
    };
    this.things = new HomeThings(this.#house.registries, states);
    this.#resources = new LiveResources(entityResources(name, states), {
      clock,
      lastHeard: options.lastHeard,
      notify: (method, params) => context.onNotification(method, params),
    });
    const { pingMs = PING_MS, pongMs = PONG_MS } = options;
    this.#heartbeat = new Heartbeat({
      clock,
      pingMs,
      pongMs,
      ping: () => line.command({ type: "ping" }, NEVER),
      onSilence: () => line.end(`it did not answer a ping within ${pongMs / 1_000} s`, "timeout"),
    });
    this.face = faceOf(name, line.version);
    this.closed = line.closed.then((ending) => {
      this.#heartbeat.stop();
      this.#resources.end();
      return ending;
    });
  }

  async listTools(signal: CancelSignal): Promise<readonly ToolDefinition[]> {
    // They are ours and never change; but who asks for them wants to know whether there is a house.
    await this.#isThere(signal);
    return toolsIn("en");
  }

  async request(request: SourceRequest): Promise<Payload> {
    if (request.signal.aborted) throw toZaguanError(request.signal.reason);
    const { method, language, params } = request;
    if (method === "tools/call") return this.#callTool(request);
    if (method === "tools/list") return Payload.ofValue({ tools: toolsIn(language) });
    if (method === "ping") return this.#isThere(request.signal).then(() => EMPTY_OBJECT);
    const answer = this.#resources.answer(method, params, language);
    if (answer) return answer;
    throw new ZaguanError("UNKNOWN_METHOD", { params: { method }, delivery: "not_sent" });
  }

  health(): SourceHealth {
    const { states, line } = this.#house;
    return { pingMs: this.#heartbeat.lastMs, entities: states.size, lastSuccessAt: line.lastHeardAt };
  }

  async close(): Promise<void> {
    await Promise.all([this.#house.line.close(), this.#house.site.close()]);
    await this.closed;
  }

  #callTool(request: SourceRequest): Promise<Payload> {
    const { name, language } = request;
    const sayFailed = (tool: string, reason: string): string => say(language, "home.failed", { tool, reason });
    return callTool(TOOLS.get(name), this.#house, request, sayFailed);
  }

  /** Ready is a house whose states are all here and that answers. */
  async #begin(): Promise<void> {
    const { line, services, name } = this.#house;
    const first = Promise.withResolvers<void>();
    // All that there is comes first, and is no news to anybody.
    let hear = (event: unknown): void => {
      this.#house.states.apply(event);
      hear = (news) => this.#heard(news);
      first.resolve();
    };
    await line
      .subscribe({ type: "subscribe_entities" }, (event) => hear(event))
      .catch((cause) => {
        if (!(cause instanceof Refusal)) throw cause;
        const why = cause.code === "unauthorized" ? new HttpStatus(401) : cause;
        throw unavailable(name, `it refused to tell its states: ${cause.message}`, why);
      });
    await Promise.race([first.promise, line.closed.then(({ reason }) => Promise.reject(unavailable(name, reason)))]);
    await this.#isThere(NEVER);
    this.#heartbeat.start();
    // Nobody waits for these: the first call would otherwise.
    services.ask(NEVER).catch(() => {});
  }

  #heard(event: unknown): void {
    const change = this.#house.states.apply(event);
    this.#resources.changed(change.ids);
    if (change.isOfList) this.#resources.listChanged();
    this.things.changed(change);
  }

  async #isThere(signal: CancelSignal): Promise<void> {
    const { promise: enough, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await Promise.race([this.#heartbeat.beat(), enough]);
    } catch (cause) {
      throw cause instanceof ZaguanError ? cause : unavailable(this.#house.name, "it does not answer", new TooSlow());
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }
}

function faceOf(name: string, version: string): ServerFace {
  const capabilities = { tools: {}, resources: { subscribe: true, listChanged: true } };
  const serverInfo = { name, title: "Home Assistant", version };
  return { capabilities, serverInfo, instructions: undefined, greeting: undefined, discovery: undefined };
}
