/** One who watches: what it has been told, and what is new since. */
import { isLimited } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import type { DoorContext, SourceSummary } from "../door.ts";
import type { EventStream } from "../http/event-stream.ts";
import type { CallsChange, Figures, Hello, HouseView, LiveEvents, ServerLive, ToolsChange } from "./views.ts";

/** Who opens the page sees the last ones at once. */
const FIRST_CALLS = 200;
const MOST_ENDED = 200;
const MOST_RUNNING = 200;
/** Thousands of boxes of one make offer the same names; nobody reads them all. */
const MOST_CLASHES = 100;

export class Watcher {
  readonly #context: DoorContext;
  readonly #principal: Principal;
  readonly #limited: boolean;
  #servers = new Map<string, ServerLive>();
  #ended = 0;
  #underWay = "";
  #serversAreNew = false;
  #toolsAreNew = false;
  #stream: EventStream | undefined;
  #stopHouse: (() => void) | undefined;

  constructor(context: DoorContext, principal: Principal) {
    this.#context = context;
    this.#principal = principal;
    this.#limited = isLimited(principal);
  }

  async hello(): Promise<Hello> {
    const { version, startedUtc } = this.#context.status();
    const { kind, name, admin = false } = this.#principal;
    const servers = this.#readServers();
    this.#servers = new Map(servers.map((server) => [server.name, server]));
    const [tools, house, homes] = await Promise.all([this.#tools(), this.#house(), this.#homes()]);
    const calls = this.#calls(FIRST_CALLS);
    const principal = { kind, name, admin, limited: this.#limited };
    return { version, startedUtc, principal, servers, tools, calls, house, homes, figures: this.#figures() };
  }

  start(stream: EventStream): void {
    this.#stream = stream;
    this.#stopHouse = this.#context.houseLive?.watch({
      house: (house) => this.#maySeeHouse() && this.#send("house", { house }),
      home: (change) => !this.#limited && this.#send("home", change),
    });
  }

  stop(): void {
    this.#stopHouse?.();
    this.#stopHouse = undefined;
  }

  end(): void {
    this.#stream?.end();
  }

  serversChanged(): void {
    this.#serversAreNew = true;
  }

  toolsChanged(): void {
    this.#toolsAreNew = true;
    this.#serversAreNew = true;
  }

  async tick(withFigures: boolean): Promise<void> {
    if (!this.#stream) return;
    if (this.#serversAreNew) this.#tellServers();
    const calls = this.#newCalls();
    if (calls) this.#send("calls", calls);
    if (withFigures) this.#send("figures", this.#figures());
    if (!this.#toolsAreNew) return;
    this.#toolsAreNew = false;
    this.#send("tools", await this.#tools());
  }

  #send<Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name]): void {
    this.#stream?.send(JSON.stringify(data), name);
  }

  #tellServers(): void {
    this.#serversAreNew = false;
    const now = new Map(this.#readServers().map((server) => [server.name, server]));
    const changed = [...now.values()].filter((server) => !isSame(server, this.#servers.get(server.name)));
    const removed = [...this.#servers.keys()].filter((name) => !now.has(name));
    this.#servers = now;
    if (changed.length + removed.length > 0) this.#send("servers", { changed, removed });
  }

  #readServers(): ServerLive[] {
    const { servers, statistics } = this.#context;
    const own = this.#context
      .status()
      .sources.filter(({ name }) => !this.#limited || servers.isReachable(name, this.#principal));
    return own.map((source) => serverLive(source, statistics.isSilent(source.name), this.#limited));
  }

  async #tools(): Promise<ToolsChange> {
    const { gateway, servers } = this.#context;
    const { length: count } = await gateway.listTools(this.#principal, "en");
    return { count, clashes: this.#limited ? [] : servers.clashes().slice(0, MOST_CLASHES) };
  }

  /** Undefined where nothing is new. How long a call runs is no news: whoever looks has a clock. */
  #newCalls(): CallsChange | undefined {
    const before = this.#underWay;
    const isNew = this.#context.calls.ended !== this.#ended;
    const calls = this.#calls(MOST_ENDED);
    return isNew || this.#underWay !== before ? calls : undefined;
  }

  #calls(limit: number): CallsChange {
    const { calls } = this.#context;
    const seen = this.#ended;
    this.#ended = calls.ended;
    const ended = calls.since(seen, limit, this.#principal);
    const running = calls.running(this.#principal);
    this.#underWay = running.map(({ id, state }) => `${id}${state}`).join();
    const skipped = this.#principal.admin ? Math.max(0, this.#ended - seen - ended.length) : 0;
    return { ended, skipped, running: running.slice(0, MOST_RUNNING), inFlight: running.length };
  }

  #figures(): Figures {
    const { uptimeSeconds, callsInFlight: inFlight } = this.#context.status();
    return { point: this.#context.statistics.current(), inFlight, uptimeSeconds };
  }

  async #house(): Promise<HouseView | null> {
    return this.#maySeeHouse() ? ((await this.#context.houseLive?.house()) ?? null) : null;
  }

  async #homes(): Promise<Hello["homes"]> {
    return this.#limited ? [] : ((await this.#context.houseLive?.homes()) ?? []);
  }

  #maySeeHouse(): boolean {
    return !this.#limited || this.#context.gateway.findTool(this.#principal, "house__get_all_states") !== undefined;
  }
}

/** A limited caller is not told what went wrong at a place that it knows nothing of. */
function serverLive(source: SourceSummary, silent: boolean, isLimited: boolean): ServerLive {
  const { name, kind, state, tools, restarts, lastError, revision } = source;
  const inner = isLimited ? { lastError: null, revision: null } : { lastError, revision };
  return { name, kind, state, silent, tools, restarts, ...inner };
}

function isSame(one: ServerLive, other: ServerLive | undefined): boolean {
  return other !== undefined && (Object.keys(one) as (keyof ServerLive)[]).every((key) => one[key] === other[key]);
}
