/** Devices that dialled in, each a source while its socket lives; a new socket of the same device takes the old one's place. */
import { createHash, randomUUID } from "node:crypto";
import { setImmediate, setTimeout } from "node:timers/promises";
import { isLimited } from "../core/access.ts";
import type { ToolDefinition } from "../core/call.ts";
import type { ArrivedDevice, DeviceHall, WelcomedDevice } from "../doors/door.ts";
import { DeviceChannel } from "../sources/device/channel.ts";
import type { DeviceHolders } from "./device-holders.ts";

interface DevicesSetup {
  attach(name: string, channel: DeviceChannel): Promise<void>;
  /** `isAway`: it may come back, and finds its names then. */
  detach(name: string, isAway: boolean): Promise<void>;
  /** In the registry, so that agents can be linked to its tools; nobody waits for it. */
  enter(name: string, tools: readonly ToolDefinition[]): Promise<void>;
  leave(name: string): Promise<void>;
  /** Whose the names in the registry are, also of devices that are away. */
  readonly holders: Pick<DeviceHolders, "of" | "hasRoom" | "keep" | "read">;
  /** The devices of all nodes; undefined for a hub that runs alone. */
  readonly shared?: DevicesOfCluster | undefined;
  /** One line for the log. */
  note(text: string, device: string): void;
  report(cause: unknown): void;
}

interface DevicesOfCluster {
  /** The principal whose device has this name at another node. */
  principalOf(name: string): string | undefined;
  dialled(name: string, principalId: string, isNamed: boolean): void;
  hungUp(name: string): void;
  listed(name: string, tools: readonly ToolDefinition[]): void;
}

interface Present {
  /** One without an id is another each time, and nothing that anybody could be linked to. */
  readonly isNamed: boolean;
  readonly channel: DeviceChannel;
  readonly principalId: string;
}

export class Devices implements DeviceHall {
  readonly #setup: DevicesSetup;
  readonly #present = new Map<string, Present>();
  /** What the registry is yet to be told, by name: the tools, or that it has left. The last word counts. */
  readonly #untold = new Map<string, readonly ToolDefinition[] | undefined>();
  #telling: Promise<void> | undefined;
  #looking: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(setup: DevicesSetup) {
    this.#setup = setup;
  }

  welcome(device: ArrivedDevice): WelcomedDevice | undefined {
    const { note, holders } = this.#setup;
    const name = deviceName(device.id);
    // Who may use some tools does not decide which there are.
    if (isLimited(device.principal)) {
      note("a device with a limited key offers no tools", name);
      return NOBODY;
    }
    const { shared } = this.#setup;
    const before = this.#present.get(name);
    const holder = before?.principalId ?? shared?.principalOf(name) ?? holders.of(name) ?? device.principal.id;
    if (holder !== device.principal.id) {
      note(NOT_ITS_OWN, name);
      this.#looking ??= this.#lookAgain();
      return undefined;
    }
    const channel = new DeviceChannel(name, device);
    const isNamed = device.id !== "";
    this.#present.set(name, { channel, principalId: device.principal.id, isNamed });
    before?.channel.dismiss("another connection of this device has come");
    this.#setup.attach(name, channel).catch(this.#setup.report);
    shared?.dialled(name, device.principal.id, isNamed);
    return { receive: (message) => channel.receive(message), left: (reason) => this.#left(name, channel, reason) };
  }

  has(name: string): boolean {
    return this.#present.has(name);
  }

  names(): string[] {
    return [...this.#present.keys()];
  }

  /** What is not written yet is left: with the next start they come anew. Nothing is written afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#untold.clear();
    await this.#telling;
  }

  /** The hub has learned what a device offers. */
  listed(name: string, tools: readonly ToolDefinition[]): void {
    const present = this.#present.get(name);
    if (present) this.#setup.shared?.listed(name, tools);
    if (present?.isNamed) this.#tell(name, tools);
  }

  /** Closes the connection of a device that has dialled another node. From now on that node updates its entry in the registry. */
  dismiss(name: string): void {
    const present = this.#present.get(name);
    if (!present) return;
    this.#present.delete(name);
    this.#untold.delete(name);
    present.channel.dismiss("another connection of this device has come");
    this.#setup.detach(name, present.isNamed).catch(this.#setup.report);
  }

  /**
   * A name that was refused may have become free; then the device has it when it dials again. Those that are refused may dial as
   * often as they like, and all that is kept is read for them.
   */
  async #lookAgain(): Promise<void> {
    await setTimeout(Math.max(0, this.#lookedAt + LOOK_MS - performance.now()), undefined, { ref: false });
    this.#lookedAt = performance.now();
    if (!this.#isClosed) await this.#setup.holders.read().catch(this.#setup.report);
    this.#looking = undefined;
  }

  #tell(name: string, tools: readonly ToolDefinition[] | undefined): void {
    if (this.#isClosed) return;
    this.#untold.delete(name);
    this.#untold.set(name, tools);
    this.#telling ??= this.#tellAll();
  }

  /** Thousands may come at once, and each has to reach the disk: one after another, with room for others between. */
  async #tellAll(): Promise<void> {
    await setImmediate();
    for (const [name, tools] of this.#untold) {
      this.#untold.delete(name);
      const startedAt = performance.now();
      await this.#tellOf(name, tools).catch(this.#setup.report);
      await rest((performance.now() - startedAt) * REST);
    }
    this.#telling = undefined;
  }

  async #tellOf(name: string, tools: readonly ToolDefinition[] | undefined): Promise<void> {
    const present = this.#present.get(name);
    if (tools && present) await this.#enter(name, tools, present);
    if (!tools && !present) await this.#setup.leave(name);
  }

  /** One too many can be called as long as it is connected. */
  async #enter(name: string, tools: readonly ToolDefinition[], present: Present): Promise<void> {
    const { holders, enter, note } = this.#setup;
    if (!holders.hasRoom(name, present.principalId)) {
      note("a device is not in the registry: its key has as many names there as one may have", name);
      return;
    }
    await enter(name, tools);
    await holders.keep(name, present.principalId);
    this.#refuseStranger(name, present);
  }

  /** Another node may have known the holder when we did not. */
  #refuseStranger(name: string, { channel, principalId }: Present): void {
    const holder = this.#setup.holders.of(name);
    if (holder === undefined || holder === principalId) return;
    this.#setup.note(NOT_ITS_OWN, name);
    const reason = "the device id is somebody else's";
    channel.dismiss(reason);
    this.#left(name, channel, reason);
  }

  #left(name: string, channel: DeviceChannel, reason: string): void {
    channel.left(reason);
    const present = this.#present.get(name);
    if (present?.channel !== channel) return;
    this.#present.delete(name);
    this.#setup.shared?.hungUp(name);
    this.#setup.detach(name, present.isNamed).catch(this.#setup.report);
    if (present.isNamed) this.#tell(name, undefined);
  }
}

const NOT_ITS_OWN = "a device was refused: another key's device has its id";
/** How often it is looked up, at most, whether a refused name is free. */
const LOOK_MS = 1_000;

/** Of the time that an entry takes: so much of it belongs to others before the next. */
const REST = 9;

/** What took no time needs none. Never so long that somebody who closes would notice. */
async function rest(ms: number): Promise<void> {
  await (ms < 1 ? setImmediate() : setTimeout(Math.min(ms, LONGEST_REST_MS)));
}

const LONGEST_REST_MS = 200;

const NOBODY: WelcomedDevice = { receive: () => "unasked", left: () => {} };

/** "AA:BB:CC:00:11:22" is called device-aa-bb-cc-00-11-22. What is not in plain letters is told apart by a hash. */
export function deviceName(id: string): string {
  const said = id === "" ? randomUUID().slice(0, 13) : id;
  const plain = said
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  // Of the ways to write a MAC address, all mean the same device; whatever else is left out may tell two apart.
  const isWhole = /^[a-z0-9]+(?:[:-][a-z0-9]+)*$/i.test(said) && plain.length <= LONGEST;
  if (isWhole) return `device-${plain}`;
  const mark = createHash("sha256").update(said).digest("hex").slice(0, 8);
  return `device-${[plain.slice(0, LONGEST - 9).replace(/-+$/, ""), mark].filter((part) => part !== "").join("-")}`;
}

const LONGEST = 57;
