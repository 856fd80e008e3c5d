/**
 * Devices that have dialled any node of the cluster. The node with the newest socket claims the device's lease by force and tells
 * the other nodes which tools the device offers; those forward calls to it. When another node claims the lease, the old socket is
 * closed. When the lease only expires, because the database is away, the socket stays usable for this node's own clients, and
 * the lease is claimed again unless another node has it. A device that does not identify itself gets a name that belongs to one
 * socket only: no other node can ever hold it, so it needs no lease.
 */
import type { Owner, Peer } from "../cluster/peer.ts";
import type { ToolDefinition } from "../core/call.ts";

/** The messages of nodes about devices. */
export type DeviceNews =
  | { readonly what: "here"; readonly device: DeviceInfo }
  | { readonly what: "gone"; readonly name: string; readonly epoch: number };

interface DeviceInfo {
  readonly name: string;
  readonly epoch: number;
  /** The principal whose key the device has used: no device of another principal may take its name. */
  readonly principalId: string;
  /** False if the device does not identify itself. */
  readonly isNamed: boolean;
  readonly tools: readonly ToolDefinition[];
}

/** What happens to devices at the hub of this node. */
interface DeviceHub {
  /** Closes this node's socket of the device, because another node has a newer one. */
  dismiss(name: string): void;
  /** The device is at another node, or its tools there have changed. */
  appeared(name: string, tools: readonly ToolDefinition[]): void;
  /**
   * The device has left the other node. `isLost`: that node is gone and did not report it. `isNamed`: the device identified itself,
   * and may come back under its name.
   */
  disappeared(name: string, isLost: boolean, isNamed: boolean): void;
}

interface DevicesSetup {
  /** Claims the lease by force, whoever holds it. */
  dialled(name: string): void;
  /** Claims the lease if nobody holds it. */
  claimIfFree(name: string): void;
  /** Releases the lease. */
  hungUp(name: string): void;
  /** A device of another node that did not identify itself has left: calls must not wait for it. */
  removed(name: string): void;
  /** The other node that holds the lease, if one does. */
  otherHolderOf(name: string): Peer | undefined;
  isAlive(peer: Peer): boolean;
  /** Whether NATS is connected; without it, silence of a node means nothing. */
  isConnected(): boolean;
  cast(news: DeviceNews): void;
  tell(to: Peer, news: DeviceNews): void;
}

interface OwnDevice {
  readonly principalId: string;
  readonly isNamed: boolean;
  tools: readonly ToolDefinition[] | undefined;
  /** The epoch of the lease, while this node holds it, or a constant if the device needs none. */
  epoch: number | undefined;
  /** Whether the lease is being claimed by force. */
  isTaking: boolean;
}

interface RemoteDevice extends DeviceInfo {
  readonly peer: Peer;
  /** When its node was first missed; undefined while the node is alive. */
  lostAt: number | undefined;
}

/** How long a device of a dead node stays listed: as long as a lease, within which it may dial another node. */
const LOST_MS = 10_000;
/** The epoch of devices that need no lease. */
const UNLEASED = 1;

export class SharedDevices {
  readonly #setup: DevicesSetup;
  readonly #own = new Map<string, OwnDevice>();
  readonly #remote = new Map<string, RemoteDevice>();
  #hub: DeviceHub | undefined;

  constructor(setup: DevicesSetup) {
    this.#setup = setup;
  }

  enter(hub: DeviceHub): void {
    this.#hub = hub;
  }

  /** The principal whose device has this name at another node. */
  principalOf(name: string): string | undefined {
    return this.#remote.get(name)?.principalId;
  }

  /** A device has connected to this node. */
  dialled(name: string, principalId: string, isNamed: boolean): void {
    this.#remote.delete(name);
    const epoch = isNamed ? undefined : UNLEASED;
    this.#own.set(name, { principalId, isNamed, tools: undefined, epoch, isTaking: isNamed });
    if (isNamed) this.#setup.dialled(name);
  }

  /** The owner of a device that needs no lease; undefined for all others. */
  unleased(name: string, self: Peer): Owner | undefined {
    const own = this.#own.get(name);
    const remote = this.#remote.get(name);
    if ((own ?? remote)?.isNamed !== false) return undefined;
    const { node, boot } = own ? self : (remote?.peer ?? self);
    return { node, boot, epoch: UNLEASED };
  }

  /** This node's last socket of the device has closed. */
  hungUp(name: string): void {
    const own = this.#own.get(name);
    if (!own) return;
    this.#own.delete(name);
    this.#setup.hungUp(name);
    if (own.epoch !== undefined) this.#setup.cast({ what: "gone", name, epoch: own.epoch });
  }

  /** A device of this node has listed its tools. */
  listed(name: string, tools: readonly ToolDefinition[]): void {
    const own = this.#own.get(name);
    if (!own) return;
    own.tools = tools;
    this.#announce(name, own);
  }

  /** This node holds the lease from now on. */
  begun(name: string, epoch: number): void {
    const own = this.#own.get(name);
    if (!own) return;
    own.epoch = epoch;
    own.isTaking = false;
    this.#announce(name, own);
  }

  /** The lease has expired, or another node has claimed it. */
  ended(name: string): void {
    const own = this.#own.get(name);
    if (!own || own.isTaking) return;
    own.epoch = undefined;
    if (this.#setup.otherHolderOf(name)) this.#giveUp(name);
    else this.#setup.claimIfFree(name);
  }

  /** This node releases the lease, because it shuts down: the device has to dial another node. */
  stopped(name: string): void {
    if (this.#own.has(name)) this.#giveUp(name);
  }

  received(from: Peer, news: DeviceNews): void {
    if (news.what === "here") this.#reported(from, news.device);
    else this.#left(news.name, news.epoch, false);
  }

  /** Tells a node that has joined about the devices of this node. */
  came(peer: Peer): void {
    for (const [name, own] of this.#own) this.#announce(name, own, peer);
  }

  /** To be called about once a second: drops devices of nodes that have been dead for too long. */
  tick(now: number): void {
    for (const device of this.#remote.values()) {
      const isLost = this.#setup.isConnected() && !this.#setup.isAlive(device.peer);
      device.lostAt = isLost ? (device.lostAt ?? now) : undefined;
      if (device.lostAt !== undefined && now - device.lostAt >= LOST_MS) this.#left(device.name, device.epoch, true);
    }
  }

  /** The name of the node that the device has dialled; undefined if there is no such device. */
  nodeOf(name: string, self: string): string | undefined {
    return this.#own.has(name) ? self : this.#remote.get(name)?.peer.node;
  }

  /** Each device with the node that holds it. */
  *places(self: string): Iterable<{ readonly name: string; readonly node: string }> {
    for (const [name, { epoch }] of this.#own) if (epoch !== undefined) yield { name, node: self };
    for (const { name, peer } of this.#remote.values()) if (!this.#own.has(name)) yield { name, node: peer.node };
  }

  #reported(peer: Peer, device: DeviceInfo): void {
    const { name, epoch, tools } = device;
    const own = this.#own.get(name);
    if ((this.#remote.get(name)?.epoch ?? 0) > epoch || (own?.epoch ?? 0) > epoch || own?.isTaking) return;
    this.#remote.set(name, { ...device, peer, lostAt: undefined });
    if (own) this.#giveUp(name);
    else this.#hub?.appeared(name, tools);
  }

  #left(name: string, epoch: number, isLost: boolean): void {
    const device = this.#remote.get(name);
    if (!device || device.epoch > epoch) return;
    this.#remote.delete(name);
    if (!device.isNamed) this.#setup.removed(name);
    this.#hub?.disappeared(name, isLost, device.isNamed);
  }

  #giveUp(name: string): void {
    this.#own.delete(name);
    this.#setup.hungUp(name);
    this.#hub?.dismiss(name);
    const remote = this.#remote.get(name);
    if (remote) this.#hub?.appeared(name, remote.tools);
  }

  /** Tells one node or all about a device, once its lease is held and its tools are known. */
  #announce(name: string, { epoch, principalId, isNamed, tools }: OwnDevice, to?: Peer): void {
    if (epoch === undefined || !tools) return;
    const news: DeviceNews = { what: "here", device: { name, epoch, principalId, isNamed, tools } };
    if (to) this.#setup.tell(to, news);
    else this.#setup.cast(news);
  }
}
