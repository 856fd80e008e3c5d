/**
 * Devices that have dialled one of the nodes, as all of them see it. The node with the newest socket holds the device by a lease
 * that it takes from whoever has it, and tells all others what it offers; those forward calls to it. A socket that has lost its
 * device to another node is closed. One whose lease has only run out, since the database is away, goes on for this node's own
 * clients, and takes the lease again where nobody else has. A device that does not say who it is has a name that only this socket
 * of it ever has: no other node could hold it, so that it needs no lease.
 */
import type { Owner, Peer } from "../cluster/peer.ts";
import type { ToolDefinition } from "../core/call.ts";

/** What nodes tell each other of devices. */
export type DeviceNews =
  | { readonly what: "here"; readonly device: TellableDevice }
  | { readonly what: "gone"; readonly name: string; readonly epoch: number };

interface TellableDevice {
  readonly name: string;
  readonly epoch: number;
  /** Whose key it came with: nobody else's device may take its name. */
  readonly principalId: string;
  /** False where it does not say who it is. */
  readonly isNamed: boolean;
  readonly tools: readonly ToolDefinition[];
}

/** The hub, as far as devices come and go there. */
interface DeviceHub {
  /** Closes the socket that this node has: another node has a newer one. */
  dismiss(name: string): void;
  /** Another node has it; or what it offers there has changed. */
  appeared(name: string, tools: readonly ToolDefinition[]): void;
  /** `isLost`: its node is gone, and has told nobody that the device left. One without a name does not come back. */
  disappeared(name: string, isLost: boolean, isNamed: boolean): void;
}

interface DevicesSetup {
  /** The machine's: the key is ours, whoever has it. */
  dialled(name: string): void;
  /** The key is ours where nobody has it. */
  want(name: string): void;
  hungUp(name: string): void;
  /** Who holds it, where that is another node. */
  otherHolderOf(name: string): Peer | undefined;
  isAlive(peer: Peer): boolean;
  /** Whether the others can be heard at all. */
  isConnected(): boolean;
  cast(news: DeviceNews): void;
  tell(to: Peer, news: DeviceNews): void;
}

interface OwnDevice {
  readonly principalId: string;
  readonly isNamed: boolean;
  tools: readonly ToolDefinition[] | undefined;
  /** Of the lease, while this node has it, or needs none. */
  epoch: number | undefined;
  /** Whether the lease is being taken from whoever has it. */
  isTaking: boolean;
}

interface DistantDevice extends TellableDevice {
  readonly peer: Peer;
  /** Since when its node was not heard. */
  lostAt: number | undefined;
}

/** As long as a lease: after that the device has dialled another node, or is away. */
const LOST_MS = 10_000;
/** Of what needs no lease. */
const UNLEASED = 1;

export class SharedDevices {
  readonly #setup: DevicesSetup;
  readonly #own = new Map<string, OwnDevice>();
  readonly #distant = new Map<string, DistantDevice>();
  #hub: DeviceHub | undefined;

  constructor(setup: DevicesSetup) {
    this.#setup = setup;
  }

  enter(hub: DeviceHub): void {
    this.#hub = hub;
  }

  /** Whose device has this name at another node. */
  principalOf(name: string): string | undefined {
    return this.#distant.get(name)?.principalId;
  }

  /** A socket of the device has come to this node. */
  dialled(name: string, principalId: string, isNamed: boolean): void {
    this.#distant.delete(name);
    const epoch = isNamed ? undefined : UNLEASED;
    this.#own.set(name, { principalId, isNamed, tools: undefined, epoch, isTaking: isNamed });
    if (isNamed) this.#setup.dialled(name);
  }

  /** Who has a device that needs no lease; undefined of all others. */
  unleased(name: string, self: Peer): Owner | undefined {
    const own = this.#own.get(name);
    const distant = this.#distant.get(name);
    if ((own ?? distant)?.isNamed !== false) return undefined;
    const { node, boot } = own ? self : (distant?.peer ?? self);
    return { node, boot, epoch: UNLEASED };
  }

  /** This node's last socket of the device is gone. */
  hungUp(name: string): void {
    const own = this.#own.get(name);
    if (!own) return;
    this.#own.delete(name);
    this.#setup.hungUp(name);
    if (own.epoch !== undefined) this.#setup.cast({ what: "gone", name, epoch: own.epoch });
  }

  /** What a device of this node offers. */
  listed(name: string, tools: readonly ToolDefinition[]): void {
    const own = this.#own.get(name);
    if (!own) return;
    own.tools = tools;
    this.#announce(name, own);
  }

  /** The lease is ours. */
  begun(name: string, epoch: number): void {
    const own = this.#own.get(name);
    if (!own) return;
    own.epoch = epoch;
    own.isTaking = false;
    this.#announce(name, own);
  }

  /** The lease is over. */
  ended(name: string): void {
    const own = this.#own.get(name);
    if (!own || own.isTaking) return;
    own.epoch = undefined;
    if (this.#setup.otherHolderOf(name)) this.#lose(name);
    else this.#setup.want(name);
  }

  /** This node lets go of everything: the device has to dial another one. */
  stopped(name: string): void {
    if (this.#own.has(name)) this.#lose(name);
  }

  heard(from: Peer, news: DeviceNews): void {
    if (news.what === "here") this.#isThere(from, news.device);
    else this.#isGone(news.name, news.epoch, false);
  }

  /** A node that has come knows of no device. */
  came(peer: Peer): void {
    for (const [name, own] of this.#own) this.#announce(name, own, peer);
  }

  /** To be called about once a second. */
  tick(now: number): void {
    for (const device of this.#distant.values()) {
      const isLost = this.#setup.isConnected() && !this.#setup.isAlive(device.peer);
      device.lostAt = isLost ? (device.lostAt ?? now) : undefined;
      if (device.lostAt !== undefined && now - device.lostAt >= LOST_MS) this.#isGone(device.name, device.epoch, true);
    }
  }

  /** The node whose socket the device has; undefined of what is no device. */
  nodeOf(name: string, self: string): string | undefined {
    return this.#own.has(name) ? self : this.#distant.get(name)?.peer.node;
  }

  /** Each device with the node that holds it. */
  *places(self: string): Iterable<{ readonly name: string; readonly node: string }> {
    for (const [name, { epoch }] of this.#own) if (epoch !== undefined) yield { name, node: self };
    for (const { name, peer } of this.#distant.values()) if (!this.#own.has(name)) yield { name, node: peer.node };
  }

  #isThere(peer: Peer, device: TellableDevice): void {
    const { name, epoch, tools } = device;
    const own = this.#own.get(name);
    if ((this.#distant.get(name)?.epoch ?? 0) > epoch || (own?.epoch ?? 0) > epoch || own?.isTaking) return;
    this.#distant.set(name, { ...device, peer, lostAt: undefined });
    if (own) this.#lose(name);
    else this.#hub?.appeared(name, tools);
  }

  #isGone(name: string, epoch: number, isLost: boolean): void {
    const device = this.#distant.get(name);
    if (!device || device.epoch > epoch) return;
    this.#distant.delete(name);
    this.#hub?.disappeared(name, isLost, device.isNamed);
  }

  #lose(name: string): void {
    this.#own.delete(name);
    this.#setup.hungUp(name);
    this.#hub?.dismiss(name);
    const distant = this.#distant.get(name);
    if (distant) this.#hub?.appeared(name, distant.tools);
  }

  /** When it is known what it offers, and others may call it. */
  #announce(name: string, { epoch, principalId, isNamed, tools }: OwnDevice, to?: Peer): void {
    if (epoch === undefined || !tools) return;
    const news: DeviceNews = { what: "here", device: { name, epoch, principalId, isNamed, tools } };
    if (to) this.#setup.tell(to, news);
    else this.#setup.cast(news);
  }
}
