/** A source of MQTT's kind before a broker, by itself or under its supervisor, and somebody else at the same broker. */
import { systemClock } from "../../../src/compose/system.ts";
import type { HubEvent } from "../../../src/core/events.ts";
import { type MqttLink, type MqttMessage, openMqtt } from "../../../src/link/mqtt.ts";
import type { Payload } from "../../../src/protocol/json/payload.ts";
import { type MqttOptions, makeMemory } from "../../../src/sources/mqtt/broker.ts";
import { mqtt } from "../../../src/sources/mqtt/index.ts";
import type { ConnectContext, Connection, Source } from "../../../src/sources/source.ts";
import { supervise } from "../../../src/sources/supervisor.ts";
import type { Said } from "../open-house.ts";
import { never } from "../supervised.ts";

export function optionsFor(port: number, more: Partial<MqttOptions> = {}): MqttOptions {
  return {
    url: `mqtt://127.0.0.1:${port}`,
    tls: { rejectUnauthorized: true },
    topics: ["#"],
    publish: [],
    discovery: { homeAssistant: "homeassistant", zigbee2mqtt: "zigbee2mqtt" },
    qos: 1,
    keepaliveSeconds: 30,
    allowPrivate: true,
    memory: makeMemory(),
    ...more,
  };
}

/** One connection, what it notified and what it logged. */
export async function connectBroker(
  options: MqttOptions,
): Promise<{ connection: Connection; said: Said[]; log: string[] }> {
  const [said, log]: [Said[], string[]] = [[], []];
  const context: ConnectContext = {
    name: "flat",
    clock: systemClock,
    emit: () => {},
    onToolsChanged: () => {},
    onNotification: (method, { value }) => said.push({ method, params: value }),
    onRequest: () => Promise.reject(new Error("a broker asks nothing")),
    onLog: (line) => log.push(line),
  };
  return { connection: await mqtt.connect(options, context, never), said, log };
}

export function superviseBroker(options: MqttOptions): { source: Source; events: HubEvent[]; said: Said[] } {
  const [said, events]: [Said[], HubEvent[]] = [[], []];
  const ports = { clock: systemClock, random: () => 0.1, emit: (event: HubEvent) => events.push(event) };
  const policy = {
    readyMs: 15_000,
    onToolsChanged: () => {},
    onNotification: (method: string, { value }: Payload) => said.push({ method, params: value }),
  };
  const source: Source = supervise(mqtt, "flat", options, policy, ports);
  source.start?.();
  return { source, events, said };
}

export interface Other {
  readonly heard: MqttMessage[];
  /** Retained, as devices announce themselves. */
  keep(topic: string, payload: object | string): Promise<void>;
  /** For those who listen now. */
  say(topic: string, payload: object | string | Buffer): Promise<void>;
  /** Does as it is told with each message of a topic. */
  on(topic: string, act: (message: MqttMessage) => void): Promise<void>;
  close(): Promise<void>;
}

/** Somebody else: devices, or whoever writes to them. */
export async function openOther(port: number, more: Partial<MqttOptions> = {}): Promise<Other> {
  const heard: MqttMessage[] = [];
  const acts = new Map<string, (message: MqttMessage) => void>();
  const link: MqttLink = await openMqtt(
    {
      ...optionsFor(port, more),
      name: "other",
      maxBytes: 16_777_216,
      onMessage: (message) => {
        heard.push(message);
        acts.get(message.topic)?.(message);
      },
      onLeftOut: () => {},
    },
    never,
  );
  const send = async (topic: string, payload: object | string | Buffer, retain: boolean): Promise<void> => {
    const bytes = typeof payload === "string" || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload);
    await link.publish(topic, bytes, { qos: 1, retain }, never);
  };
  return {
    heard,
    keep: (topic, payload) => send(topic, payload, true),
    say: (topic, payload) => send(topic, payload, false),
    on: async (topic, act) => {
      acts.set(topic, act);
      await link.subscribe([topic], never);
    },
    close: () => link.close(),
  };
}
