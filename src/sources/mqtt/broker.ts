/** One broker while it is connected, as its tools see it. */
import type { Clock } from "../../core/ports.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { MqttLink } from "../../link/mqtt.ts";
import type { Language } from "../../messages/catalogue.ts";
import type { Arguments } from "../shared/arguments.ts";
import type { LiveDevices } from "./live-devices.ts";
import type { MqttOptions } from "./options.ts";
import type { TopicStore } from "./topic-store.ts";

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

/** One call of a tool. */
export interface ToolCall {
  readonly args: Arguments;
  readonly language: Language;
  readonly signal: CancelSignal;
}

/** What a tool has to say, for people and for programs. */
interface Told {
  readonly text: string;
  readonly structured: object;
}

/** Rejects with a Refusal where the broker, or the sense of things, says no. */
export type Tool = (broker: Broker, call: ToolCall) => Promise<Told>;
