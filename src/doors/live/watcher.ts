/** One client of `GET /events`: what it has been told, and what is new since, at all nodes where there are several. */
import { isLimited } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import type { DoorContext, SourceSummary } from "../door.ts";
import type { EventStream } from "../http/event-stream.ts";
import { inOrder } from "./found-calls.ts";
import { mergedPoint, ownInFlight } from "./merged-figures.ts";
import type { CallRow, CallsChange, Figures, Hello, HouseView, LiveEvents, ServerLive, ToolsChange } from "./views.ts";

type RemoteCallWatch = ReturnType<NonNullable<DoorContext["cluster"]>["watch"]>;

/** Ended calls in the first event, so that the page shows some at once. */
const FIRST_CALLS = 200;
const MOST_ENDED = 200;
const MOST_RUNNING = 200;
/** Thousands of boxes of one make offer the same names; nobody reads them all. */
const MOST_CLASHES = 100;

export class Watcher {
  readonly principal: Principal;
  readonly #context: DoorContext;
  #servers = new Map<string, ServerLive>();
  #ended = 0;
  #underWay = "";
  #serversAreNew = false;
  /** Whether a server is starting: then its last log line is sent, which changes without an event. */
  #someStart = false;
  #toolsAreNew = false;
  #stream: EventStream | undefined;
  readonly #remote: RemoteCallWatch | undefined;
  #stopHouse: (() => void) | undefined;
  #giveUp: (() => void) | undefined;

  constructor(context: DoorContext, principal: Principal) {
    this.#context = context;
    this.principal = principal;
    this.#remote = context.cluster?.watch(principal);
  }

  /** Asked anew each time: a key may be revoked while its holder watches. */
  get #limited(): boolean {
    return isLimited(this.principal);
  }

  /** The first event; undefined if the stream was ended before it was made. */
  async hello(): Promise<Hello | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Hello | undefined>();
    this.#giveUp = () => resolve(undefined);
    this.#picture().then(resolve, reject);
    try {
      return await promise;
    } finally {
      this.#giveUp = undefined;
    }
  }

  async #picture(): Promise<Hello> {
    const { version, startedUtc } = this.#context.status();
    const { kind, name, admin = false } = this.principal;
    const servers = this.#readServers();
    this.#know(servers);
    const waited = [this.#tools(), this.#house(), this.#homes(), this.#remote?.ready()] as const;
    const [tools, house, homes] = await Promise.all(waited);
    const calls = this.#calls(FIRST_CALLS);
    const principal = { kind, name, admin, limited: this.#limited };
    const hub = { version, startedUtc, ...this.#ofNode() };
    return { ...hub, principal, servers, tools, calls, house, homes, figures: this.#figures() };
  }

  start(stream: EventStream): void {
    this.#stream = stream;
    this.#stopHouse = this.#context.houseLive?.watch({
      house: (house) => this.#maySeeHouse() && this.#send("house", { house }),
      home: (change) => !this.#limited && this.#send("home", change),
    });
  }

  stop(): void {
    this.#remote?.close();
    this.#stopHouse?.();
    this.#stopHouse = undefined;
  }

  end(): void {
    this.#giveUp?.();
    this.#stream?.end();
  }

  serversChanged(): void {
    this.#serversAreNew = true;
  }

  toolsChanged(): void {
    this.#toolsAreNew = true;
    this.#serversAreNew = true;
  }

  async tick(withFigures: boolean, withProgress: boolean): Promise<void> {
    if (!this.#stream) return;
    // Nobody tells when a server has gone from one node to another.
    if (withFigures && this.#remote) this.#serversAreNew = true;
    if (this.#serversAreNew || (withProgress && this.#someStart)) this.#tellServers();
    const calls = this.#newCalls();
    if (calls) this.#send("calls", calls);
    const figures = withFigures ? this.#figures() : null;
    if (figures) this.#send("figures", figures);
    if (!this.#toolsAreNew) return;
    this.#toolsAreNew = false;
    this.#send("tools", await this.#tools());
  }

  #send<Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name]): void {
    this.#stream?.send(JSON.stringify(data), name);
  }

  #tellServers(): void {
    this.#serversAreNew = false;
    const before = this.#servers;
    const now = this.#know(this.#readServers());
    const changed = [...now.values()].filter((server) => !isSame(server, before.get(server.name)));
    const removed = [...before.keys()].filter((name) => !now.has(name));
    if (changed.length + removed.length > 0) this.#send("servers", { changed, removed });
  }

  #know(servers: readonly ServerLive[]): ReadonlyMap<string, ServerLive> {
    this.#servers = new Map(servers.map((server) => [server.name, server]));
    this.#someStart = servers.some(({ state }) => state === "starting" || state === "installing");
    return this.#servers;
  }

  #readServers(): ServerLive[] {
    const { servers, statistics } = this.#context;
    const own = this.#context
      .status()
      .sources.filter(({ name }) => !this.#limited || servers.isReachable(name, this.principal));
    return own.map((source) => serverLive(source, statistics.isSilent(source.name), this.#limited));
  }

  async #tools(): Promise<ToolsChange> {
    const { gateway, servers, status } = this.#context;
    if (this.#limited) return { count: (await gateway.listTools(this.principal, "en")).length, clashes: [] };
    // Counted here, since `listTools` would wait for servers that are still starting.
    const count = status().sources.reduce((sum, { tools }) => sum + tools, 0);
    return { count, clashes: servers.clashes().slice(0, MOST_CLASHES) };
  }

  /** Undefined where no call of this caller began, ended or left the queue. How long one runs is no news. */
  #newCalls(): CallsChange | undefined {
    const { calls } = this.#context;
    const before = this.#underWay;
    const isRemoteNew = this.#remote?.isNew() ?? false;
    if (calls.ended === this.#ended && calls.underWay(this.principal).mark === before && !isRemoteNew) return undefined;
    const change = this.#calls(MOST_ENDED);
    return change.ended.length > 0 || this.#underWay !== before || isRemoteNew ? change : undefined;
  }

  #calls(limit: number): CallsChange {
    const { calls } = this.#context;
    const seen = this.#ended;
    this.#ended = calls.ended;
    const ended = calls.since(seen, limit, this.principal);
    const running = calls.running(this.principal, MOST_RUNNING);
    const { count: inFlight, mark } = calls.underWay(this.principal);
    this.#underWay = mark;
    const skipped = this.principal.admin ? Math.max(0, this.#ended - seen - ended.length) : 0;
    return this.#withRemote({ ended, skipped, running, inFlight }, limit);
  }

  #withRemote(own: CallsChange, limit: number): CallsChange {
    if (!this.#remote) return own;
    const remote = this.#remote.take(limit);
    const all = (mine: readonly CallRow[], others: readonly CallRow[]) =>
      inOrder([...mine.map((row) => ({ ...row, ...this.#ofNode() })), ...others]);
    const ended = all(own.ended, remote.ended);
    return {
      ended: ended.slice(0, limit),
      skipped: own.skipped + remote.skipped + Math.max(0, ended.length - limit),
      running: all(own.running, remote.running).slice(0, MOST_RUNNING),
      inFlight: own.inFlight + remote.inFlight,
    };
  }

  #ofNode(): { readonly node?: string } {
    const { cluster } = this.#context;
    return cluster ? { node: cluster.node } : {};
  }

  /** Null for limited callers: figures are of everybody's calls, as at `/metrics`. */
  #figures(): Figures | null {
    if (this.#limited) return null;
    const { uptimeSeconds } = this.#context.status();
    const own = this.#context.statistics.current();
    const remote = this.#remote?.figures() ?? [];
    // A point of other ten seconds came late, or from a node whose clock is another.
    const points = remote.map(({ point }) => point).filter(({ at }) => at === own.at);
    const inFlight = remote.reduce((sum, figures) => sum + figures.inFlight, ownInFlight(this.#context));
    return { point: mergedPoint([own, ...points]), inFlight, uptimeSeconds };
  }

  async #house(): Promise<HouseView | null> {
    return this.#maySeeHouse() ? ((await this.#context.houseLive?.house()) ?? null) : null;
  }

  async #homes(): Promise<Hello["homes"]> {
    return this.#limited ? [] : ((await this.#context.houseLive?.homes()) ?? []);
  }

  #maySeeHouse(): boolean {
    return !this.#limited || this.#context.gateway.findTool(this.principal, "house__get_all_states") !== undefined;
  }
}

/** Limited callers are told neither errors nor log lines of a server. */
function serverLive(source: SourceSummary, silent: boolean, isLimited: boolean): ServerLive {
  const { name, kind, isMcp, node, state, tools, restarts, lastError, progress, revision } = source;
  const inner = isLimited ? { lastError: null, progress: null, revision: null } : { lastError, progress, revision };
  return { name, kind, isMcp, ...(node !== undefined && { node }), state, silent, tools, restarts, ...inner };
}

function isSame(one: ServerLive, other: ServerLive | undefined): boolean {
  return other !== undefined && (Object.keys(one) as (keyof ServerLive)[]).every((key) => one[key] === other[key]);
}
