/**
 * This hub as one node of a cluster. It connects the hub with the driver of the cluster's state machine (`node-driver.ts`), and
 * routes the messages of nodes to the parts that share something: sources, devices, rate limits, changes, tunnels, channels.
 */
import type { Bus } from "../bus/bus.ts";
import type { LeaseTable } from "../cluster/lease-table.ts";
import type { Peer } from "../cluster/peer.ts";
import type { Hub } from "../core/hub.ts";
import type { Clock } from "../core/ports.ts";
import { type Change, type Changes, LocalChanges } from "../core/shared/changes.ts";
import type { ClusterView } from "../core/shared/owners.ts";
import type { Rates } from "../core/shared/rates.ts";
import type { Channel } from "./channel.ts";
import { HeldSources } from "./held-sources.ts";
import { NodeDriver } from "./node-driver.ts";
import type { ServingHub } from "./served-calls.ts";
import { type DeviceNews, SharedDevices } from "./shared-devices.ts";
import { SharedRates, type UsageReport } from "./shared-rates.ts";
import { SharedSources, type SourceMessage } from "./shared-sources.ts";
import { type Tunnel, type TunnelMessage, Tunnels } from "./tunnels.ts";

/** Every message that parts of the hub send to other nodes, by the part that it belongs to. */
type NodeMessage =
  | SourceMessage
  | { readonly of: "device"; readonly news: DeviceNews }
  | { readonly of: "rates"; readonly used: UsageReport }
  | { readonly of: "change"; readonly change: Change }
  | { readonly of: "tunnel"; readonly message: TunnelMessage }
  /** A message of a named `Channel`. */
  | { readonly of: "channel"; readonly channel: string; readonly news: unknown };

/** How often nodes exchange how many calls they let in, and check for devices whose node is gone. */
const SECOND_MS = 1_000;

interface Membership {
  readonly self: Peer;
  readonly bus: Bus;
  readonly leases: LeaseTable;
}

interface NodeSetup {
  readonly hub: Hub;
  /** Sets when the source's processes must be dead, in milliseconds of `performance.now()`; undefined removes the deadline. */
  deadline(source: string, at: number | undefined): void;
  /** The longest that a call may take, in milliseconds. */
  maxCallMs(): number;
  /** Called when a newer process has started under this node's name. */
  onReplaced(): void;
  report(cause: unknown): void;
}

export class NodeOfCluster {
  readonly held = new HeldSources();
  readonly sources: SharedSources;
  readonly devices: SharedDevices;
  readonly changes: Changes;
  readonly #membership: Membership;
  readonly #localChanges = new LocalChanges();
  readonly #memberListeners = new Set<() => void>();
  readonly #reconnectListeners = new Set<() => void>();
  readonly #remoteChanges = new LocalChanges();
  readonly #tunnels: Tunnels;
  #accept: ((tunnel: Tunnel, about: unknown) => void) | undefined;
  readonly #channels = new Map<string, (from: Peer, news: unknown) => void>();
  #driver: NodeDriver | undefined;
  #rates: SharedRates | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(membership: Membership) {
    this.#membership = membership;
    this.#tunnels = new Tunnels({
      self: membership.self,
      send: (to, message) => this.#tell(to, { of: "tunnel", message }),
      accept: (tunnel, about) => (this.#accept ? this.#accept(tunnel, about) : void tunnel.destroy()),
    });
    this.sources = new SharedSources({
      node: membership.self.node,
      held: this.held,
      others: () => this.others(),
      ownerOf: (source) => this.#driver?.ownerOf(source),
      forward: async (...call) => await this.#running().calls.forward(...call),
      cast: (message) => this.#cast(message),
      tell: (to, message) => this.#tell(to, message),
    });
    this.devices = new SharedDevices({
      dialled: (name) => this.#driver?.device(name, "dialled"),
      claimIfFree: (name) => this.#driver?.device(name, "stillDialled"),
      hungUp: (name) => this.#driver?.device(name, "hungUp"),
      removed: (name) => this.#driver?.device(name, "removed"),
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

  /** The end of every id that this node issues to clients; it names this run of this node. */
  get idSuffix(): string {
    return idSuffixOf(this.self);
  }

  /** The other node that issued this id, if it is alive. */
  issuerOf(id: string): Peer | undefined {
    const suffix = ID_SUFFIX.exec(id)?.[0];
    return suffix === undefined ? undefined : this.others().find((other) => idSuffixOf(other) === suffix);
  }

  /** Rate limits that hold over all nodes together. */
  shareRates(clock: Clock, perMinute: () => number): Rates {
    this.#rates = new SharedRates({
      clock,
      perMinute,
      isConnected: () => this.#isConnected,
      nodes: () => this.others().length + 1,
      send: (used) => this.#cast({ of: "rates", used }),
    });
    return this.#rates;
  }

  /** Connects the hub to the cluster; before that nothing is sent or received. `start` then begins to claim leases. */
  enter({ hub, maxCallMs, onReplaced, report, deadline }: NodeSetup): void {
    this.sources.enter(hub);
    const driver = new NodeDriver({
      ...this.#membership,
      index: this.held,
      unleased: (key) => this.devices.unleased(key, this.self),
      hub: this.#serving(hub),
      maxCallMs,
      onReplaced,
      report,
      begin: (key, epoch) => {
        void this.#begin(key).catch(report);
        this.devices.begun(key, epoch);
      },
      stop: async (key) => {
        this.devices.stopped(key);
        await this.held.end(key);
        // The lease may have been lost and claimed again meanwhile; then the deadline belongs to the new lease.
        if (!this.held.isOurs(key)) deadline(key, undefined);
      },
      // The deadline stays: the undertaker ends whatever of it is still running by then.
      end: (key) => {
        void this.held.end(key, true).catch(report);
        this.devices.ended(key);
      },
      // Only sources have processes that could outlive this one; a device has none.
      deadline: (key, at) => this.held.has(key) && deadline(key, at),
      received: (from, message) => this.#received(from, message as NodeMessage),
      onMembers: (peer, isThere) => {
        this.sources.resendMissed();
        this.sources.memberChanged(peer, isThere);
        if (isThere) this.devices.came(peer);
        else this.#tunnels.gone(peer);
        this.sources.informNewcomers();
        for (const listener of this.#memberListeners) listener();
      },
    });
    this.#driver = driver;
    this.#followBus();
    this.held.onChange((source, isThere) => driver.sourceChanged(source, isThere));
  }

  start(): void {
    this.#driver?.start();
    this.#timer = setInterval(() => {
      this.#rates?.tick();
      this.devices.tick(performance.now());
    }, SECOND_MS);
  }

  /** All other live nodes. */
  others(): readonly Peer[] {
    return this.#driver?.members() ?? [];
  }

  /** This node's view of the cluster. */
  view(): ClusterView {
    const { node } = this.self;
    const nodes = [node, ...this.others().map((other) => other.node)].sort();
    const sources = this.held.all().map((name) => ({ name, node: this.ownerOf(name) ?? null }));
    return {
      node,
      nodes,
      sources: [...sources, ...this.devices.places(node)],
      isConnected: this.#isConnected,
      hasDatabase: !this.#driver?.isDatabaseAway,
    };
  }

  ownerOf(source: string): string | undefined {
    return this.#driver?.ownerOf(source)?.node;
  }

  /** The name of the node that holds the source; null while none does, undefined if every node connects to it by itself. */
  holderOf(source: string): string | null | undefined {
    return this.held.has(source) ? (this.ownerOf(source) ?? null) : this.devices.nodeOf(source, this.self.node);
  }

  /** How busy the event loop of this process is, in percent. */
  get load(): number {
    return this.#driver?.load ?? 0;
  }

  get isDraining(): boolean {
    return this.#driver?.isDraining ?? false;
  }

  /** Whether another node drains, and takes nothing new. */
  drains(peer: Peer): boolean {
    return this.#driver?.drains(peer) ?? false;
  }

  /** Starts or stops draining: a node that drains hands over what others may hold, and takes nothing new. */
  drain(isDraining: boolean): void {
    this.#driver?.drain(isDraining);
  }

  /** Opens a channel to the same component at the other nodes; `take` receives its messages. */
  channel(name: string, take: (from: Peer, news: unknown) => void): Channel {
    this.#channels.set(name, take);
    return {
      others: () => this.others(),
      tell: (to, news) => this.#tell(to, { of: "channel", channel: name, news }),
      cast: (news) => this.#cast({ of: "channel", channel: name, news }),
      onMembers: (listener) => this.onMembers(listener),
    };
  }

  /** Calls the listener whenever a node has joined or left; the returned function unsubscribes it. */
  onMembers(listener: () => void): () => void {
    this.#memberListeners.add(listener);
    return () => this.#memberListeners.delete(listener);
  }

  /** Calls the listener when NATS is back: messages of other nodes may have been missed meanwhile. */
  onReconnected(listener: () => void): void {
    this.#reconnectListeners.add(listener);
  }

  /**
   * Opens a connection to another node; rejects if it cannot be reached. @param about tells that node what the connection is for
   */
  connect(peer: Peer, about: unknown): Promise<Tunnel> {
    return this.#tunnels.open(peer, about);
  }

  /** Sets the handler of connections that other nodes open. */
  onConnection(accept: (tunnel: Tunnel, about: unknown) => void): void {
    this.#accept = accept;
  }

  /** Calls the listener for each change at another node, after the listeners of `changes`. */
  onRemoteChange(listener: (change: Change) => void): void {
    this.#remoteChanges.watch(listener);
  }

  /** Starts to hand over what other nodes can hold, while clients may still call this node. */
  handOver(): void {
    this.#driver?.handOver();
  }

  /** Whether this node holds a valid lease of the source at this moment. */
  isLive(source: string): boolean {
    return this.#driver?.isLive(source) === true;
  }

  /** Answers what other nodes have forwarded, and hands over everything that this node holds. */
  async leave(timeoutMs: number): Promise<void> {
    const until = performance.now() + timeoutMs;
    await this.#tunnels.idle(timeoutMs);
    await this.#driver?.leave(Math.max(0, until - performance.now()));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#tunnels.close();
    this.#driver?.end();
    await this.#membership.bus.close();
  }

  /**
   * The hub for calls of other nodes. They may offer a call as soon as the lease is ours, before the source is attached to the hub.
   */
  #serving(hub: Hub): ServingHub {
    return {
      serve: async (request, reserved) => {
        await this.held.whenBegun(request.source);
        return await hub.serve(request, reserved);
      },
      toolsOf: async (source, signal) => {
        await this.held.whenBegun(source);
        return await hub.toolsOf(source, signal);
      },
      face: async (source, signal, asker) => {
        await this.held.whenBegun(source);
        return await hub.face(source, signal, asker);
      },
    };
  }

  async #begin(source: string): Promise<void> {
    await this.held.begin(source);
    this.sources.statusChanged(source);
  }

  get #isConnected(): boolean {
    return this.#membership.bus.state().link === "connected";
  }

  #running(): NodeDriver {
    if (!this.#driver) throw new TypeError("not entered");
    return this.#driver;
  }

  /** Sends to every other node; false if the message certainly did not leave. */
  #cast(message: NodeMessage): boolean {
    return this.#driver?.cast(message) === true;
  }

  #followBus(): void {
    let isAway = false;
    this.#membership.bus.watch(({ link }) => {
      if (!isAway && link === "away") this.sources.busLost();
      if (isAway && link === "connected") {
        this.sources.resendMissed();
        for (const listener of this.#reconnectListeners) listener();
      }
      isAway = link === "away";
    });
  }

  /** False if the message certainly did not leave. */
  #tell(to: Peer, message: NodeMessage): boolean {
    return this.#driver?.tell(to, message) === true;
  }

  #received(from: Peer, message: NodeMessage): void {
    if (message.of === "tunnel") this.#tunnels.received(from, message.message);
    else if (message.of === "channel") this.#channels.get(message.channel)?.(from, message.news);
    else if (message.of === "change") {
      this.#localChanges.publish(message.change);
      this.#remoteChanges.publish(message.change);
    } else if (message.of === "device") this.devices.received(from, message.news);
    else if (message.of === "rates") this.#rates?.received(message.used);
    else this.sources.received(from, message);
  }
}

/** The name of a node and its boot id in base 36, as `idSuffixOf` writes them. */
const ID_SUFFIX = /\.[a-z0-9_-]{1,32}\.[0-9a-z]{1,13}$/;

function idSuffixOf({ node, boot }: Peer): string {
  return `.${node}.${Number(boot).toString(36)}`;
}
