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
import type { Source, SourceKind } from "../sources/source.ts";
import { ElsewhereSource, type ToOwnerOfSource } from "./elsewhere-source.ts";
import { HeldSources } from "./held-sources.ts";
import { NodeDriver } from "./node-driver.ts";
import type { ServingHub } from "./served-calls.ts";
import { type DeviceNews, SharedDevices } from "./shared-devices.ts";
import { SharedRates, type Used } from "./shared-rates.ts";
import { identityAt } from "./wire.ts";

/** What an owner tells all others of a source. */
type SourceNews =
  | { readonly what: "tools" }
  | { readonly what: "up"; readonly isAgain: boolean }
  | { readonly what: "said"; readonly method: string; readonly params: string };

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
  | { readonly of: "owner"; readonly source: string; readonly news: OwnerNews };

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
  /** Sources that had news while NATS was away the last time. */
  readonly #untold = new Set<string>();
  #hub: Hub | undefined;
  #driver: NodeDriver | undefined;
  #rates: SharedRates | undefined;
  #telling: NodeJS.Timeout | undefined;

  constructor(membership: Membership) {
    this.#membership = membership;
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
      hub: this.#serving(hub),
      mostMs,
      onReplaced,
      report,
      begin: (key, epoch) => {
        void this.held.begin(key).catch(report);
        this.devices.begun(key, epoch);
      },
      stop: async (key) => {
        this.devices.stopped(key);
        await this.held.end(key);
        deadline(key, undefined);
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
        this.#tellUntold();
        if (isThere) this.devices.came(peer);
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

  /** Told whenever a node has come or gone. */
  onMembers(listener: () => void): () => void {
    this.#members.add(listener);
    return () => this.#members.delete(listener);
  }

  /** Told when NATS is back: what others said meanwhile was not heard. */
  onBack(listener: () => void): void {
    this.#back.add(listener);
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
    if (!this.#cast({ of: "source", source, news }) && news.what !== "said") this.#untold.add(source);
  }

  /** Hands over what it holds. */
  async leave(patienceMs: number): Promise<void> {
    await this.#driver?.leave(patienceMs);
  }

  async close(): Promise<void> {
    clearInterval(this.#telling);
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
      if (!isAway && link === "away") this.#untold.clear();
      if (isAway && link === "connected") {
        this.#tellUntold();
        for (const listener of this.#back) listener();
      }
      isAway = link === "away";
    });
  }

  /** NATS is back, or a node is: what our sources offer may have changed meanwhile. */
  #tellUntold(): void {
    for (const source of this.#untold)
      if (this.held.isOurs(source)) this.#cast({ of: "source", source, news: { what: "tools" } });
  }

  #tell(to: Peer, news: News): void {
    this.#driver?.tell(to, news);
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
    if (news.of === "change") {
      this.#localChanges.publish(news.change);
      this.#distant.publish(news.change);
    } else if (news.of === "device") this.devices.heard(from, news.news);
    else if (news.of === "rates") this.#rates?.heard(news.used);
    else if (news.of === "source") this.#heardOf(news.source, news.news);
    else this.#asOwner(news.source, news.news);
  }

  #heardOf(source: string, news: SourceNews): void {
    if (this.held.isOurs(source) || !this.#hub) return;
    if (news.what === "said") this.#hub.notified(source, news.method, Payload.ofText(news.params));
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
