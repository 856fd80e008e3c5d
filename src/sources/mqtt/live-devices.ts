/**
 * All devices of a broker with their values as they are now. A device that both dialects describe is there once, as
 * zigbee2mqtt describes it, which knows it better.
 */
import { LIMITS } from "./broker.ts";
import { type Device, type Dialect, type Message, nameOf, type Property } from "./discovery/device.ts";
import { shown } from "./topics.ts";

export interface LiveDevice {
  readonly device: Device;
  readonly values: Map<string, LiveValue>;
  /** Undefined where nobody said. */
  readonly availability: Map<string, boolean>;
}

interface LiveValue {
  readonly value: unknown;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
  /** The number of the message that said it, of `LiveDevices.reports`. */
  readonly report: number;
}

/** A property of a device by itself. */
export interface Entity {
  readonly live: LiveDevice;
  readonly property: Property;
}

interface DevicesListener {
  /** These properties, by the ids of `entityId`, have another value now. */
  changed(ids: readonly string[]): void;
  /** Devices came, went or are others now. */
  rearranged(): void;
}

const LONGEST_TEXT = 255;
const LONGEST_DATA = 2_000;

export class LiveDevices {
  readonly #dialects: readonly Dialect[];
  readonly #listener: DevicesListener;
  #devices = new Map<string, LiveDevice>();
  #byTopic = new Map<string, Set<LiveDevice>>();
  #entities = new Map<string, Entity>();
  #renewed = new Set<string>();
  /** Whether a dialect knows more than `#devices`. */
  #isStale = false;
  #reports = 0;
  /** Those who wait for a report of a device. */
  readonly #waiting = new Set<() => void>();

  /** @param dialects the one that knows better first */
  constructor(dialects: readonly Dialect[], listener: DevicesListener) {
    this.#dialects = dialects;
    this.#listener = listener;
  }

  get filters(): readonly string[] {
    return this.#dialects.flatMap(({ filters }) => filters);
  }

  get isFull(): boolean {
    return this.#dialects.some(({ isFull }) => isFull);
  }

  /** How many messages said something new: what was kept by the broker or here, and comes again, does not count. */
  get reports(): number {
    return this.#reports;
  }

  isDescription(topic: string): boolean {
    return this.#dialects.some((dialect) => dialect.isDescription(topic));
  }

  /** A message of any topic; one that was kept says what was known before. */
  take(topic: string, message: Message, at: number, isKept: boolean): void {
    if (!isKept) this.#reports++;
    const report = isKept ? undefined : this.#reports;
    for (const dialect of this.#dialects) {
      if (dialect.isDescription(topic) && dialect.take(topic, message)) this.#stale();
    }
    const changed = [...(this.#byTopic.get(topic) ?? [])].flatMap((live) => update(live, topic, message, at, report));
    if (changed.length > 0) this.#listener.changed(changed);
    for (const wake of this.#waiting) wake();
  }

  all(): readonly LiveDevice[] {
    this.#refresh();
    return [...this.#devices.values()];
  }

  /** Every topic on which something is told of a device. */
  topics(): Iterable<string> {
    this.#refresh();
    return this.#byTopic.keys();
  }

  /** The topics of devices that were described anew since this was last asked: what they said before is to be heard again. */
  renewed(): ReadonlySet<string> {
    this.#refresh();
    const renewed = this.#renewed;
    this.#renewed = new Set();
    return renewed;
  }

  /** Every property that stands for itself, by its id. */
  entities(): ReadonlyMap<string, Entity> {
    this.#refresh();
    return this.#entities;
  }

  /** Calls back after each message until the returned function is called. */
  watch(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => void this.#waiting.delete(wake);
  }

  #stale(): void {
    this.#isStale = true;
    this.#listener.rearranged();
  }

  /** Put off until somebody looks: descriptions come by the hundred, and this costs something. */
  #refresh(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const known = new Set<string>();
    const devices = new Map<string, LiveDevice>();
    for (const device of this.#dialects.flatMap((dialect) => [...dialect.devices()])) {
      const names = [device.id, ...device.aliases];
      if (names.some((name) => known.has(name)) || devices.size >= LIMITS.devices) continue;
      for (const name of names) known.add(name);
      devices.set(device.id, this.#revived(device));
    }
    this.#devices = devices;
    this.#byTopic = byTopic(devices.values());
    const entities = [...devices.values()].flatMap(entitiesOf);
    this.#entities = new Map(entities.map((entity) => [entityId(entity), entity]));
  }

  /** With the values that it had before. */
  #revived(device: Device): LiveDevice {
    const before = this.#devices.get(device.id);
    if (before?.device === device) return before;
    for (const topic of topicsOf(device)) this.#renewed.add(topic);
    const keys = new Set(device.properties.map(({ key }) => key));
    const values = [...(before?.values ?? [])].filter(([key]) => keys.has(key));
    return { device, values: new Map(values), availability: new Map(before?.availability) };
  }
}

/** Whether it is there; undefined where nobody said. */
export function isOnline({ device, availability }: LiveDevice): boolean | undefined {
  const said = device.availability.flatMap(({ topic }) => availability.get(topic) ?? []);
  if (said.length === 0) return undefined;
  return device.isAnyEnough ? said.includes(true) : !said.includes(false);
}

function entitiesOf(live: LiveDevice): readonly Entity[] {
  const own = live.device.properties.filter(({ domain, read }) => domain !== undefined && read !== undefined);
  return own.map((property) => ({ live, property }));
}

export function entityId({ live, property }: Entity): string {
  return `${live.device.id}/${property.key}`;
}

export function entityName({ live, property }: Entity): string {
  return nameOf(live.device, property);
}

function topicsOf({ properties, availability }: Device): readonly string[] {
  return [...properties.flatMap(({ read }) => read?.topic ?? []), ...availability.map(({ topic }) => topic)];
}

function byTopic(devices: Iterable<LiveDevice>): Map<string, Set<LiveDevice>> {
  const index = new Map<string, Set<LiveDevice>>();
  for (const live of devices) {
    for (const topic of topicsOf(live.device)) index.set(topic, (index.get(topic) ?? new Set()).add(live));
  }
  return index;
}

/** The ids of properties whose value is another now. */
function update(
  live: LiveDevice,
  topic: string,
  message: Message,
  at: number,
  report: number | undefined,
): readonly string[] {
  for (const each of live.device.availability) {
    const isAvailable = each.topic === topic ? each.isAvailable(message) : undefined;
    if (isAvailable !== undefined) live.availability.set(topic, isAvailable);
  }
  return live.device.properties.flatMap((property) => {
    const { read, key } = property;
    if (read?.topic !== topic) return [];
    const value = bounded(read.value?.(message));
    if (value === undefined) return [];
    const before = live.values.get(key);
    const isSame = before !== undefined && JSON.stringify(before.value) === JSON.stringify(value);
    live.values.set(key, { value, changedAt: isSame ? before.changedAt : at, report: report ?? before?.report ?? 0 });
    return isSame ? [] : [entityId({ live, property })];
  });
}

/** What a stranger sent, of a size to be kept and shown. */
function bounded(value: unknown): unknown {
  if (typeof value === "string") return shown(value, LONGEST_TEXT);
  if (typeof value !== "object" || value === null) return value;
  try {
    return JSON.stringify(value).length <= LONGEST_DATA ? value : undefined;
  } catch {
    // Nested so deeply that it cannot be written.
    return undefined;
  }
}
