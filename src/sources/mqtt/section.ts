/**
 * The section of `zaguan.json` with the brokers. The file is its owner's word, so that a broker may be in the owner's own
 * network.
 */
import { resolve } from "node:path";
import { z } from "zod";
import { policyShape } from "../../config/server-schema.ts";
import { address } from "../../contract/fields.ts";
import type { FileSection } from "../section.ts";
import type { MqttConfig } from "./broker.ts";
import { isFilter } from "./topics.ts";

const filter = z.string().refine(isFilter, {
  error: 'expected a topic filter, such as "house/#" or "sensors/+/temperature"',
});

/** Nobody who is asked for a topic's name means the topics of the broker itself. */
const writable = filter.refine((text) => !text.startsWith("$"), {
  error: 'expected a filter that does not begin with "$"',
});

const prefix = (otherwise: string) =>
  z
    .union([z.literal(false), z.string().refine((text) => isFilter(text) && !/[#+$]/.test(text))], {
      error: `expected a topic without wildcards, such as "${otherwise}", or false`,
    })
    .default(otherwise);

const entry = z.strictObject({
  url: address(/^(?:mqtts?|wss?)$/, "an mqtt, mqtts, ws or wss", "username and password")
    .refine((url) => new URL(url).hostname !== "", { error: "must name a host" })
    .describe("The address of the broker: mqtt:// or mqtts://, or ws:// or wss:// over a WebSocket."),
  username: z.string().min(1).optional().describe("The user name, where the broker wants one."),
  password: z.string().min(1).optional().describe("The password of that user."),
  tls: z
    .strictObject({
      ca: z.string().min(1).optional().describe("The file with the certificate authority of the broker, in PEM."),
      cert: z.string().min(1).optional().describe("The file with the certificate that we show, in PEM."),
      key: z.string().min(1).optional().describe("The file with the key of that certificate, in PEM."),
      rejectUnauthorized: z
        .boolean()
        .default(true)
        .describe("Refuse a broker whose certificate is not valid. False makes the connection readable for others."),
    })
    .prefault({})
    .describe("Certificates for mqtts:// and wss://."),
  clientId: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe(
      "The client id. Not set: a new one for each connection, which is best, since no two clients may share one.",
    ),
  topics: z
    .array(filter)
    .max(100)
    .default(["#"])
    .describe(
      "Filters of the topics that are shown as resources and may be read. Not set: all that the user may read, without those that begin with $. At most 2,000 topics are kept.",
    ),
  publish: z
    .array(writable)
    .max(100)
    .default([])
    .describe(
      "Filters of the topics that the tool publish may write to. Not set: none, since a message can do anything, such as remove a device; discovered devices are set by set_device all the same.",
    ),
  discovery: z
    .strictObject({
      homeAssistant: prefix("homeassistant").describe(
        "The topic under which devices announce themselves to Home Assistant, or false to pass over them.",
      ),
      zigbee2mqtt: prefix("zigbee2mqtt").describe("The base topic of zigbee2mqtt, or false to pass over its devices."),
    })
    .prefault({})
    .describe("How devices are found."),
  qos: z
    .union([z.literal(0), z.literal(1), z.literal(2)])
    .default(1)
    .describe("The quality of service of what is published: 0 at most once, 1 at least once, 2 exactly once."),
  keepaliveSeconds: z
    .int()
    .min(5)
    .max(3_600)
    .default(30)
    .describe(
      "How often the connection is tried, in seconds; after one and a half times as long without an answer it is made anew.",
    ),
  disabled: z.boolean().default(false).describe("Leave this broker out."),
  zaguan: z
    .strictObject(policyShape({ allowPrivate: true, ready: "15" }))
    .prefault({})
    .describe("Our own settings for this broker."),
});

type MqttEntry = z.output<typeof entry>;

export const MQTT_SECTION: FileSection<MqttConfig> = {
  entry,
  description: "MQTT brokers: their topics are resources, and the devices that announce themselves there have tools.",
  noun: "broker",
  read: (checked, folder) => {
    const { zaguan, tls, ...config } = checked as MqttEntry;
    const from = (path: string | undefined): string | undefined => path && resolve(folder, path);
    const files = { ca: from(tls.ca), cert: from(tls.cert), key: from(tls.key) };
    return { ...config, tls: { ...tls, ...files }, policy: { trusted: true, ...zaguan } };
  },
};
