/**
 * One broker: what it is reached with, the bounds of what is kept of it, and how its tools see it while it is
 * connected.
 */
import type { Clock } from "../../core/ports.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { MqttLink, MqttVersion } from "../../link/mqtt.ts";
import type { TlsFiles } from "../../link/mqtt-dial.ts";
import type { SectionEntry } from "../section.ts";
import type { ToolOf } from "../shared/tool-call.ts";
import type { LiveDevices } from "./live-devices.ts";
import type { TopicStore } from "./topics.ts";

export interface MqttOptions {
  /** `mqtt:`, `mqtts:`, `ws:` or `wss:`, without user name and password. */
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly tls: TlsFiles;
  /** @default a new one for each connection */
  readonly clientId?: string | undefined;
  /** Filters of the topics that are shown as resources and may be read. */
  readonly topics: readonly string[];
  /** Filters of the topics that the tool `publish` may write to; the tool is not there where there are none. */
  readonly publish: readonly string[];
  readonly discovery: DiscoveryOptions;
  /** For what is published, unless the call or the device says otherwise. */
  readonly qos: 0 | 1 | 2;
  readonly keepaliveSeconds: number;
  readonly allowPrivate: boolean;
  /** What one connection leaves to the next; made once for each entry. */
  readonly memory: MqttMemory;
}

interface DiscoveryOptions {
  /** The topic under which devices describe themselves, or false for not at all. */
  readonly homeAssistant: string | false;
  readonly zigbee2mqtt: string | false;
}

interface MqttMemory {
  version?: MqttVersion | undefined;
  /** The last payloads of topics that somebody listened to: what changed meanwhile is told by the next connection. */
  readonly lastHeard: Map<string, Buffer | undefined>;
}

/** A broker as the file has it. */
export type MqttConfig = Omit<MqttOptions, "allowPrivate" | "memory"> & SectionEntry;

/** @param allowPrivate whether the hub as a whole may dial private addresses */
export function optionsOf({ policy, disabled: _, ...config }: MqttConfig, allowPrivate: boolean): MqttOptions {
  return { ...config, allowPrivate: allowPrivate || policy.allowPrivate, memory: makeMemory() };
}

export function makeMemory(): MqttMemory {
  return { lastHeard: new Map() };
}

export const LIMITS = {
  /** Of one packet: zigbee2mqtt describes all its devices in one message, about ten kilobytes each. */
  packetBytes: 4_194_304,
  /** Of one payload that is kept; of larger ones only the size is known. */
  payloadBytes: 262_144,
  /** Of all payloads that are kept. */
  keptBytes: 33_554_432,
  topics: 2_000,
  topicBytes: 1_024,
  devices: 1_000,
  properties: 10_000,
  /** Of one device. */
  propertiesEach: 200,
  /** Of a name or a text that a device brings. */
  nameCharacters: 100,
  /** Between a value's last change and its being told. */
  gatherMs: 200,
} as const;

/** One broker while it is connected, as its tools see it. */
export interface Broker {
  readonly name: string;
  readonly options: MqttOptions;
  readonly clock: Clock;
  readonly link: MqttLink;
  readonly store: TopicStore;
  readonly devices: LiveDevices;
  /** Resolves with the next message of a topic, or what the broker has retained of it: undefined if none comes in time. */
  await(topic: string, ms: number, isFresh: boolean, signal: CancelSignal): Promise<Buffer | undefined>;
}

export type Tool = ToolOf<Broker>;
