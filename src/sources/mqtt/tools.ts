/**
 * The tools of a broker as data in four languages: three for devices, however many there are, and three for topics. A small
 * model can choose among six tools, and not among eighty.
 */
import type { ToolAnnotations, ToolDefinition } from "../../core/call.ts";
import { LANGUAGES, type Language } from "../../messages/catalogue.ts";
import type { MqttOptions } from "./broker.ts";
import { type TextKey, tell } from "./texts/index.ts";

type Schema = Readonly<Record<string, unknown>>;

export const MOST_SHOWN = 500;
export const USUALLY_SHOWN = 50;
export const MOST_WAIT_SECONDS = 30;
/** The words of `state`, by the role of the property that they are meant for. */
export const STATE_WORDS = {
  power: ["on", "off", "toggle"],
  cover: ["open", "close", "stop"],
  lock: ["lock", "unlock"],
  press: ["press"],
} as const;
/** Arguments that mean the property of the same role. */
export const ROLE_ARGUMENTS = ["brightness", "color_temp", "color", "position", "tilt", "temperature", "mode"] as const;

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** A device may be a door, and "toggle" does something else each time. */
const CONTROLS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};
/** Nobody knows who listens to a topic. */
const PUBLISHES: ToolAnnotations = { ...CONTROLS, openWorldHint: true };

const TEXT = { type: "string" };
const NUMBER = { type: "number" };
const WHOLE = { type: "integer" };
const TRUTH = { type: "boolean" };
const PERCENT = { type: "number", minimum: 0, maximum: 100 };
const VALUES = { type: "object" };

const DEVICE = { id: TEXT, name: TEXT, kind: TEXT, state: TEXT, online: TRUTH, area: TEXT };
const TOPIC = { topic: TEXT, uri: TEXT, bytes: WHOLE, changed_utc: TEXT, text: TEXT };
const OUTCOME = {
  device: TEXT,
  outcome: { ...TEXT, enum: ["confirmed", "sent", "differs"] },
  sent: VALUES,
  reported: VALUES,
};
const READ = object({ ...TOPIC, found: TRUTH, mime_type: TEXT, json: {}, base64: TEXT }, ["topic", "found"]);
const PUBLISHED = object({ topic: TEXT, bytes: WHOLE, acknowledged: TRUTH, has_listeners: TRUTH }, ["topic", "bytes"]);

const TOOLS = Object.fromEntries(LANGUAGES.map((language) => [language, build(language)])) as Readonly<
  Record<Language, readonly ToolDefinition[]>
>;

/** All that there can be. */
export function toolsIn(language: Language): readonly ToolDefinition[] {
  return TOOLS[language];
}

/** Those that make sense as this broker is configured: with nothing to publish to, there is no tool to publish. */
export function toolsFor(options: MqttOptions, language: Language): readonly ToolDefinition[] {
  const { homeAssistant, zigbee2mqtt } = options.discovery;
  const isThere: Readonly<Record<string, boolean>> = {
    device: homeAssistant !== false || zigbee2mqtt !== false,
    topic: options.topics.length > 0,
    publish: options.publish.length > 0,
  };
  return toolsIn(language).filter(({ name }) => isThere[/device|topic|publish/.exec(name)?.[0] ?? ""]);
}

function build(language: Language): readonly ToolDefinition[] {
  const of = (schema: Schema, key: string): Schema => ({
    ...schema,
    description: tell(language, `parameter.${key}` as TextKey),
  });
  const tool = (
    name: string,
    annotations: ToolAnnotations,
    properties: Schema,
    required: readonly string[],
    output: Schema,
  ): ToolDefinition => {
    const title = tell(language, `${name}.title` as TextKey);
    return {
      name,
      title,
      description: tell(language, name as TextKey),
      inputSchema: { ...object(properties, required), additionalProperties: false },
      outputSchema: output,
      annotations: { title, ...annotations },
    };
  };
  const page = {
    limit: of({ ...WHOLE, minimum: 1, maximum: MOST_SHOWN, default: USUALLY_SHOWN }, "limit"),
    offset: of({ ...WHOLE, minimum: 0, default: 0 }, "offset"),
  };
  const device = of({ ...TEXT, minLength: 1 }, "device");
  const topic = of({ ...TEXT, minLength: 1 }, "topic");
  const found = { search: of(TEXT, "search"), kind: of(TEXT, "kind"), state: of(TEXT, "stateIs"), ...page };
  const set = {
    device,
    state: of({ ...TEXT, enum: Object.values(STATE_WORDS).flat() }, "state"),
    brightness: of(PERCENT, "brightness"),
    color_temp: of({ ...NUMBER, minimum: 1_000, maximum: 20_000 }, "color_temp"),
    color: of({ ...TEXT, pattern: "^#[0-9a-fA-F]{6}$" }, "color"),
    position: of(PERCENT, "position"),
    tilt: of(PERCENT, "tilt"),
    temperature: of(NUMBER, "temperature"),
    mode: of(TEXT, "mode"),
    properties: of({ type: "object" }, "properties"),
  };
  const wait = of({ ...NUMBER, minimum: 0, maximum: MOST_WAIT_SECONDS, default: 0 }, "wait");
  const message = {
    topic,
    text: of(TEXT, "text"),
    json: of({}, "json"),
    base64: of(TEXT, "base64"),
    retain: of({ ...TRUTH, default: false }, "retain"),
    qos: of({ ...WHOLE, enum: [0, 1, 2] }, "qos"),
  };
  return [
    tool("list_devices", READS, found, [], listOf("devices", DEVICE, ["id", "name", "kind", "state"])),
    tool(
      "get_device",
      READS,
      { device },
      ["device"],
      object({ ...DEVICE, properties: { type: "array" } }, ["id", "name"]),
    ),
    tool("set_device", CONTROLS, set, ["device"], object(OUTCOME, ["device", "outcome", "sent"])),
    tool("list_topics", READS, { filter: of(TEXT, "filter"), ...page }, [], listOf("topics", TOPIC, ["topic", "uri"])),
    tool(
      "read_topic",
      READS,
      { topic, wait_seconds: wait, fresh: of({ ...TRUTH, default: false }, "fresh") },
      ["topic"],
      READ,
    ),
    tool("publish", PUBLISHES, message, ["topic"], PUBLISHED),
  ];
}

function listOf(name: string, item: Schema, required: readonly string[]): Schema {
  const list = { type: "array", items: object(item, required) };
  return object({ total: WHOLE, [name]: list, next_offset: WHOLE, may_publish: { type: "array", items: TEXT } }, [
    "total",
    name,
  ]);
}

function object(properties: Schema, required: readonly string[]): Schema {
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}
