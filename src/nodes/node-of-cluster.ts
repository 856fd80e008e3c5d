/**
 * This hub as one node of a cluster: which sources it holds, how the others are reached, and what the nodes tell each other of
 * sources and of what was changed.
 */
import type { Bus } from "../bus/bus.ts";
import type { LeaseTable } from "../cluster/lease-table.ts";
import type { Peer } from "../cluster/peer.ts";
import type { Caller } from "../core/call.ts";
import type { Hub } from "../core/hub.ts";
import type { Clock } from "../core/ports.ts";
import { type Change, type Changes, LocalChanges } from "../core/shared/changes.ts";
import type { ClusterView } from "../core/shared/owners.ts";
import type { Rates } from "../core/shared/rates.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { Source, SourceKind, SourceStatus } from "../sources/source.ts";
import type { Channel } from "./channel.ts";
import { ElsewhereSource, type ToOwnerOfSource } from "./elsewhere-source.ts";
import { HeldSources } from "./held-sources.ts";
import { NodeDriver } from "./node-driver.ts";
import type { ServingHub } from "./served-calls.ts";
import { type DeviceNews, SharedDevices } from "./shared-devices.ts";
import { SharedRates, type Used } from "./shared-rates.ts";
import { type Tunnel, type TunnelMessage, Tunnels } from "./tunnels.ts";
import { identityAt } from "./wire.ts";

/** What an owner tells all others of a source. */
type SourceNews =
  | { readonly what: "tools" }
  | { readonly what: "up"; readonly isAgain: boolean }
  | { readonly what: "said"; readonly method: string; readonly params: string }
  | { readonly what: "status"; readonly status: SourceStatus };

/** What a node tells the owner of a source. */
type OwnerNews =
  | { readonly what: "left"; readonly identity: string }
  | { readonly what: "restart" }
  | {
      readonly what: "notify";
      readonly method: string;
      readonly params: string;
      readonly identity?: string | undefined;
    };

type News =
  | { readonly of: "device"; readonly news: DeviceNews }
  | { readonly of: "rates"; readonly used: Used }
  | { readonly of: "change"; readonly change: Change }
  | { readonly of: "source"; readonly source: string; readonly news: SourceNews }
  | { readonly of: "owner"; readonly source: string; readonly news: OwnerNews }
  | { readonly of: "tunnel"; readonly message: TunnelMessage }
  /** Of a part of the hub that speaks with its like on other nodes. */
  | { readonly of: "channel"; readonly channel: string; readonly news: unknown };

/** How often nodes tell each other how many calls they let in, and look for devices whose node is gone. */
const SECOND_MS = 1_000;

interface Membership {
  readonly self: Peer;
  readonly bus: Bus;
  readonly leases: LeaseTable;
}

interface NodeSetup {
  readonly hub: Hub;
  /** What runs for the source must be dead at this instant of `performance.now()`; undefined: it is held no longer. */
  deadline(source: string, at: number | undefined): void;
  mostMs(): number;
  /** Another process has this node's name. */
  onReplaced(): void;
  report(cause: unknown): void;
}

export class NodeOfCluster {
  readonly held = new HeldSources();
  readonly devices: SharedDevices;
  readonly changes: Changes;
  readonly #membership: Membership;
  readonly #localChanges = new LocalChanges();
  readonly #elsewhere = new Map<string, ElsewhereSource>();
  readonly #members = new Set<() => void>();
  readonly #back = new Set<() => void>();
  readonly #distant = new LocalChanges();
  readonly #tunnels: Tunnels;
  #accept: ((tunnel: Tunnel, about: unknown) => void) | undefined;
  readonly #channels = new Map<string, (from: Peer, news: unknown) => void>();
  /** Sources of ours whose status has changed and was not told yet. */
  readonly #untold = new Set<string>();
  /** Sources of ours that had news while NATS was away the last time. */
  readonly #unheard = new Set<string>();
  /** Boots of the nodes that know how our sources are. */
  #informed = new Set<string>();
  #hub: Hub | undefined;
  #driver: NodeDriver | undefined;
  #rates: SharedRates | undefined;
  #telling: NodeJS.Timeout | undefined;

  constructor(membership: Membership) {
    this.#membership = membership;
    this.#tunnels = new Tunnels({
      self: membership.self,
      send: (to, message) => this.#tell(to, { of: "tunnel", message }),
      accept: (tunnel, about) => (this.#accept ? this.#accept(tunnel, about) : void tunnel.destroy()),
    });
    this.devices = new SharedDevices({
      dialled: (name) => this.#driver?.device(name, "dialled"),
      want: (name) => this.#driver?.device(name, "stillDialled"),
      hungUp: (name) => this.#driver?.device(name, "hungUp"),
      otherHolderOf: (name) => this.#driver?.otherHolderOf(name),
      isAlive: (peer) => this.#driver?.isAlive(peer) === true,
      isConnected: () => this.#isConnected,
      cast: (news) => this.#cast({ of: "device", news }),
      tell: (to, news) => this.#tell(to, { of: "device", news }),
    });
    this.changes = {
      publish: (change) => {
        this.#localChanges.publish(change);
        this.#cast({ of: "change", change });
      },
      watch: (listener) => this.#localChanges.watch(listener),
    };
  }

  get self(): Peer {
    return this.#membership.self;
  }

  /** Ends ids that this node gives to clients. */
  get mark(): string {
    return markOf(this.self);
  }

  /** The other node that gave this id, if it is alive. */
  giverOf(id: string): Peer | undefined {
    const mark = MARK.exec(id)?.[0];
    return mark === undefined ? undefined : this.others().find((other) => markOf(other) === mark);
  }

  /** Limits that hold over all nodes. */
  shareRates(clock: Clock, perMinute: () => number): Rates {
    this.#rates = new SharedRates({
      clock,
      perMinute,
      isConnected: () => this.#isConnected,
      nodes: () => this.others().length + 1,
      tell: (used) => this.#cast({ of: "rates", used }),
    });
    return this.#rates;
  }

  /** Begins to take part; before that nothing is heard or said. */
  enter({ hub, mostMs, onReplaced, report, deadline }: NodeSetup): void {
    this.#hub = hub;
    const driver = new NodeDriver({
      ...this.#membership,
      index: this.held,
      unleased: (key) => this.devices.unleased(key, this.self),
      hub: this.#serving(hub),
      mostMs,
      onReplaced,
      report,
      begin: (key, epoch) => {
        void this.#begin(key).catch(report);
        this.devices.begun(key, epoch);
      },
      stop: async (key) => {
        this.devices.stopped(key);
        await this.held.end(key);
        // It may have been lost and taken again meanwhile, under a deadline of its own.
        if (!this.held.isOurs(key)) deadline(key, undefined);
      },
      // Its deadline stands until all of it is gone.
      end: (key) => {
        void this.held.end(key, true).catch(report);
        this.devices.ended(key);
      },
      // A device has no process here that could outlive us.
      deadline: (key, at) => this.held.has(key) && deadline(key, at),
      heard: (from, news) => this.#heard(from, news as News),
      onMembers: (peer, isThere) => {
        this.#tellUnheard();
        if (isThere) this.devices.came(peer);
        else this.#tunnels.gone(peer);
        this.#informNewcomers();
        for (const listener of this.#members) listener();
      },
    });
    this.#driver = driver;
    this.#followBus();
    this.held.onChange((source, isThere) => driver.sourceChanged(source, isThere));
  }

  start(): void {
    this.#driver?.start();
    this.#telling = setInterval(() => {
      this.#rates?.tick();
      this.devices.tick(performance.now());
    }, SECOND_MS);
  }

  /** The others, by name. */
  others(): readonly Peer[] {
    return this.#driver?.members() ?? [];
  }

  /** As this node sees it. */
  view(): ClusterView {
    const { node } = this.self;
    const nodes = [node, ...this.others().map((other) => other.node)].sort();
    const sources = this.held.all().map((name) => ({ name, node: this.ownerOf(name) ?? null }));
    return { node, nodes, sources: [...sources, ...this.devices.places(node)], isConnected: this.#isConnected };
  }

  ownerOf(source: string): string | undefined {
    return this.#driver?.ownerOf(source)?.node;
  }

  /** The node that holds the source; null while none does, undefined where every node reaches it by itself. */
  holderOf(source: string): string | null | undefined {
    return this.held.has(source) ? (this.ownerOf(source) ?? null) : this.devices.nodeOf(source, this.self.node);
  }

  /** How busy this process is, in percent. */
  get load(): number {
    return this.#driver?.load ?? 0;
  }

  get isDraining(): boolean {
    return this.#driver?.isDraining ?? false;
  }

  /** Whether another node takes nothing new. */
  drains(peer: Peer): boolean {
    return this.#driver?.drains(peer) ?? false;
  }

  /** Hands over what others may hold and takes nothing, until it is told otherwise. */
  drain(isDraining: boolean): void {
    this.#driver?.drain(isDraining);
  }

  /** By which one part of the hub speaks with its like on other nodes; `take` is told what they say. */
  channel(name: string, take: (from: Peer, news: unknown) => void): Channel {
    this.#channels.set(name, take);
    return {
      others: () => this.others(),
      tell: (to, news) => this.#tell(to, { of: "channel", channel: name, news }),
      cast: (news) => this.#cast({ of: "channel", channel: name, news }),
      onMembers: (listener) => this.onMembers(listener),
    };
  }

  /** Told whenever a node has come or gone. */
  onMembers(listener: () => void): () => void {
    this.#members.add(listener);
    return () => this.#members.delete(listener);
  }

  /** Told when NATS is back: what others said meanwhile was not heard. */
  onBack(listener: () => void): void {
    this.#back.add(listener);
  }

  /** A connection to another node; rejects where nothing can be sent to it. @param about tells that node what it is for */
  connect(peer: Peer, about: unknown): Promise<Tunnel> {
    return this.#tunnels.open(peer, about);
  }

  /** Takes the connections of other nodes. */
  onConnection(accept: (tunnel: Tunnel, about: unknown) => void): void {
    this.#accept = accept;
  }

  /** Told of what was changed at another node, when everybody here has heard of it. */
  onDistantChange(listener: (change: Change) => void): void {
    this.#distant.watch(listener);
  }

  elsewhere(name: string, kind: SourceKind<unknown>): Source {
    const source = new ElsewhereSource(name, kind, {
      forward: async (...call) => await this.#running().calls.forward(...call),
      tell: (of, what) => this.#tellOwner(of, what),
      ownerOf: (of) => this.ownerOf(of),
      closed: (closed) => this.#elsewhere.get(name) === closed && this.#elsewhere.delete(name),
    });
    this.#elsewhere.set(name, source);
    return source;
  }

  /** A source of ours said something that all may hear; what every node is connected to says it to each of them. */
  said(source: string, news: SourceNews): void {
    if (!this.held.isOurs(source) || !isForAll(news)) return;
    if (!this.#cast({ of: "source", source, news }) && news.what !== "said") this.#unheard.add(source);
  }

  /** One of ours is in another state: the others are told, once for all that changes in one turn. */
  statusChanged(source: string): void {
    if (!this.held.isOurs(source)) return;
    if (this.#untold.size === 0) setImmediate(() => this.#tellStatuses());
    this.#untold.add(source);
  }

  /** Begins to hand over what other nodes can hold, while clients may still call here. */
  handOver(): void {
    this.#driver?.handOver();
  }

  /** Whether this node may work for the source at this moment. */
  isLive(source: string): boolean {
    return this.#driver?.isLive(source) === true;
  }

  /** Hands over all that it holds, and answers what others have handed on to it. */
  async leave(patienceMs: number): Promise<void> {
    const until = performance.now() + patienceMs;
    await this.#tunnels.idle(patienceMs);
    await this.#driver?.leave(Math.max(0, until - performance.now()));
  }

  async close(): Promise<void> {
    clearInterval(this.#telling);
    this.#tunnels.close();
    this.#driver?.end();
    await this.#membership.bus.close();
  }

  /** A call may be offered as soon as the lease is ours, before the source stands under the hub. */
  #serving(hub: Hub): ServingHub {
    return {
      serve: async (request, reserved) => {
        await this.held.begun(request.source);
        return await hub.serve(request, reserved);
      },
      toolsOf: async (source, signal) => {
        await this.held.begun(source);
        return await hub.toolsOf(source, signal);
      },
      face: async (source, signal, asker) => {
        await this.held.begun(source);
        return await hub.face(source, signal, asker);
      },
    };
  }

  async #begin(source: string): Promise<void> {
    await this.held.begin(source);
    this.statusChanged(source);
  }

  #tellStatuses(): void {
    for (const source of this.#untold) {
      const news = this.#statusOf(source);
      if (news) this.#cast(news);
    }
    this.#untold.clear();
  }

  #informNewcomers(): void {
    const others = this.others();
    for (const other of others.filter(({ boot }) => !this.#informed.has(boot)))
      for (const news of this.held.held().flatMap((source) => this.#statusOf(source) ?? [])) this.#tell(other, news);
    this.#informed = new Set(others.map(({ boot }) => boot));
  }

  #statusOf(name: string): News | undefined {
    const source = this.#hub?.sources().find((one) => one.name === name);
    if (!source || source.isElsewhere) return undefined;
    const status = source.status();
    return {
      of: "source",
      source: name,
      news: { what: "status", status: { ...status, log: status.log.slice(-MOST_LINES) } },
    };
  }

  get #isConnected(): boolean {
    return this.#membership.bus.state().link === "connected";
  }

  #running(): NodeDriver {
    if (!this.#driver) throw new TypeError("not entered");
    return this.#driver;
  }

  /** False where nobody can have got it. */
  #cast(news: News): boolean {
    return this.#driver?.cast(news) === true;
  }

  #followBus(): void {
    let isAway = false;
    this.#membership.bus.watch(({ link }) => {
      if (!isAway && link === "away") this.#unheard.clear();
      if (isAway && link === "connected") {
        this.#tellUnheard();
        for (const listener of this.#back) listener();
      }
      isAway = link === "away";
    });
  }

  /** NATS is back, or a node is: what our sources offer may have changed meanwhile. */
  #tellUnheard(): void {
    for (const source of this.#unheard)
      if (this.held.isOurs(source)) this.#cast({ of: "source", source, news: { what: "tools" } });
  }

  /** False where it certainly did not leave. */
  #tell(to: Peer, news: News): boolean {
    return this.#driver?.tell(to, news) === true;
  }

  #tellOwner(source: string, what: ToOwnerOfSource): void {
    const owner = this.#driver?.ownerOf(source);
    const news: News = { of: "owner", source, news: this.#onWire(what) };
    if (owner) this.#tell(owner, news);
    // Whoever holds it takes it.
    else this.#cast(news);
  }

  #onWire(what: ToOwnerOfSource): OwnerNews {
    const { node } = this.self;
    if (what.kind === "restart") return { what: "restart" };
    if (what.kind === "left") return { what: "left", identity: identityAt(node, what.caller) };
    const identity = what.caller && identityAt(node, what.caller);
    return { what: "notify", method: what.method, params: what.params.text, identity };
  }

  #heard(from: Peer, news: News): void {
    if (news.of === "tunnel") this.#tunnels.heard(from, news.message);
    else if (news.of === "channel") this.#channels.get(news.channel)?.(from, news.news);
    else if (news.of === "change") {
      this.#localChanges.publish(news.change);
      this.#distant.publish(news.change);
    } else if (news.of === "device") this.devices.heard(from, news.news);
    else if (news.of === "rates") this.#rates?.heard(news.used);
    else if (news.of === "source") this.#heardOf(from, news.source, news.news);
    else this.#asOwner(news.source, news.news);
  }

  #heardOf({ node }: Peer, source: string, news: SourceNews): void {
    if (this.held.isOurs(source) || !this.#hub) return;
    if (news.what === "status") this.#elsewhere.get(source)?.tell(node, news.status);
    else if (news.what === "said") this.#hub.notified(source, news.method, Payload.ofText(news.params));
    else this.#elsewhere.get(source)?.forgetFace();
    if (news.what === "tools") this.#hub.refresh(source);
    if (news.what === "up") this.#hub.cameUp(source, news.isAgain);
  }

  #asOwner(name: string, news: OwnerNews): void {
    const source = this.#hub?.sources().find((one) => one.name === name);
    if (!source || source.isElsewhere) return;
    if (news.what === "restart") void source.restart();
    else if (news.what === "left") source.left?.(clientOf(news.identity));
    else source.notify(news.method, Payload.ofText(news.params), news.identity ? clientOf(news.identity) : undefined);
  }
}

/** The name and the run of a node. */
const MARK = /\.[a-z0-9_-]{1,32}\.[0-9a-z]{1,13}$/;

function markOf({ node, boot }: Peer): string {
  return `.${node}.${Number(boot).toString(36)}`;
}
/** Lines of a source's log that other nodes are told. */
const MOST_LINES = 20;

/** Whose call anything else belongs to is known to the owner alone, which tells it beside that call. */
function isForAll(news: SourceNews): boolean {
  if (news.what !== "said") return true;
  return news.method.endsWith("/list_changed") || news.method === "notifications/resources/updated";
}

/** All that a source needs to know of a client that says something: which one it is. */
function clientOf(identity: string): Caller {
  const nothing = Payload.ofValue({});
  return {
    identity,
    canBeAsked: true,
    capabilities: nothing,
    info: undefined,
    comesAgain: false,
    logLevel: undefined,
    wantsLog: () => false,
    request: () => Promise.reject(new TypeError("it cannot be asked")),
  };
}
