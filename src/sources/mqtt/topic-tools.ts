/** The tools for topics: those that were heard, the last message of one, and publishing where the configuration allows it. */
import { PublishRefused } from "../../link/mqtt.ts";
import { Refusal, type ToolCall } from "../shared/tool-call.ts";
import { type Broker, LIMITS, type Tool } from "./broker.ts";
import { contentOf, jsonOf } from "./payload.ts";
import { refusedBy } from "./set-device.ts";
import { tell } from "./texts/index.ts";
import { MOST_SHOWN, MOST_WAIT_SECONDS, USUALLY_SHOWN } from "./tools.ts";
import { isFilter, isTopic, type KeptTopic, matches, matchesAny, shown, uriOf } from "./topics.ts";

/** Enough of a payload to know what it is. */
const GLANCE = 80;

export const listTopics: Tool = async (broker, { args, language }) => {
  const { store, options } = broker;
  const filter = args.text("filter") || "#";
  if (!isFilter(filter)) throw new Refusal(tell(language, "badFilter", { filter: shown(filter, 100) }));
  const offset = args.number("offset", 0, 0, Number.MAX_SAFE_INTEGER);
  const limit = args.number("limit", USUALLY_SHOWN, 1, MOST_SHOWN);
  const found = [...store.all()].filter(({ topic }) => matches(filter, topic));
  found.sort((a, b) => (a.topic < b.topic ? -1 : 1));
  const page = found.slice(offset, offset + limit).map((kept) => glanceAt(broker, kept));
  const next = offset + page.length < found.length ? offset + page.length : undefined;
  const head = { shown: page.length, total: found.length };
  const lines = [
    tell(language, found.length > 0 ? "topics" : "noTopics", head),
    ...page.map(({ topic, text, bytes }) => `- ${topic}: ${text ?? `${bytes} bytes`}`),
    ...(next === undefined ? [] : [tell(language, "more", { next })]),
    ...(options.publish.length > 0 ? [tell(language, "mayPublish", { filters: options.publish.join(", ") })] : []),
  ];
  const structured = { total: found.length, topics: page, ...(next !== undefined && { next_offset: next }) };
  const mayPublish = options.publish.length > 0 && { may_publish: options.publish };
  return { text: lines.join("\n"), structured: { ...structured, ...mayPublish } };
};

export const readTopic: Tool = async (broker, { args, language, signal }) => {
  const { store, options } = broker;
  const topic = wholeTopic(args.neededText("topic"), language);
  if (!matchesAny(options.topics, topic)) {
    throw new Refusal(tell(language, "notReadable", { topic, filters: options.topics.join(", ") }));
  }
  const seconds = args.number("wait_seconds", 0, 0, MOST_WAIT_SECONDS);
  const isFresh = args.flag("fresh", false);
  const known = store.get(topic);
  const wantsMore = seconds > 0 && (isFresh || !known);
  const payload = wantsMore ? await broker.await(topic, seconds * 1_000, isFresh, signal) : undefined;
  const kept = store.get(topic);
  const found = payload ?? (isFresh && wantsMore ? undefined : kept?.payload);
  if (!found) {
    const text = !wantsMore && kept ? tell(language, "tooLarge", { topic, bytes: kept.bytes }) : undefined;
    const missing =
      seconds > 0 ? tell(language, "nothingCame", { topic, seconds }) : tell(language, "nothingHeard", { topic });
    return { text: text ?? missing, structured: { topic, uri: uriOf(broker.name, topic), found: false } };
  }
  return told(broker, topic, found, kept);
};

export const publish: Tool = async ({ link, options }, { args, language, signal }) => {
  const topic = wholeTopic(args.neededText("topic"), language);
  if (!matchesAny(options.publish, topic)) {
    throw new Refusal(tell(language, "notPublishable", { topic, filters: options.publish.join(", ") || "–" }));
  }
  const payload = payloadOf({ args, language, signal });
  if (payload.length > LIMITS.packetBytes - LIMITS.topicBytes) throw new Refusal(tell(language, "refused.149"));
  const qos = args.number("qos", options.qos, 0, 2) as 0 | 1 | 2;
  const retain = args.flag("retain", false);
  const { hasListeners } = await link.publish(topic, payload, { qos, retain }, signal).catch((cause) => {
    throw cause instanceof PublishRefused ? refusedBy(cause, topic, language) : cause;
  });
  const parts = [
    tell(language, "published", { bytes: payload.length, topic }),
    ...(qos > 0 ? [tell(language, "acknowledged")] : []),
    ...(hasListeners === false ? [tell(language, "unheard")] : []),
  ];
  const structured = { topic, bytes: payload.length, acknowledged: qos > 0 };
  const heard = hasListeners !== undefined && { has_listeners: hasListeners };
  return { text: parts.join(" "), structured: { ...structured, ...heard } };
};

function wholeTopic(topic: string, language: ToolCall["language"]): string {
  if (isTopic(topic) && Buffer.byteLength(topic) <= LIMITS.topicBytes) return topic;
  throw new Refusal(tell(language, "badTopic", { topic: shown(topic, 100) }));
}

/** Exactly one of the three. */
function payloadOf({ args, language }: ToolCall): Buffer {
  const [text, json, base64] = ["text", "json", "base64"].map((name) => args.value(name));
  if ([text, json, base64].filter((each) => each !== undefined).length !== 1)
    throw new Refusal(tell(language, "onePayload"));
  if (json !== undefined) return Buffer.from(JSON.stringify(json));
  if (typeof text === "string") return Buffer.from(text);
  const bytes = Buffer.from(String(base64), "base64");
  if (bytes.toString("base64").replace(/=+$/, "") !== String(base64).replace(/[=\s]+/g, "")) {
    throw new Refusal(tell(language, "badBase64"));
  }
  return bytes;
}

interface Glance {
  readonly topic: string;
  readonly uri: string;
  readonly bytes: number;
  readonly changed_utc: string;
  readonly text?: string;
}

function glanceAt({ name }: Broker, { topic, payload, bytes, at }: KeptTopic): Glance {
  const content = payload && contentOf(payload.subarray(0, GLANCE * 4));
  const text = content && "text" in content ? shown(content.text, GLANCE) : undefined;
  const uri = uriOf(name, topic);
  return {
    topic: shown(topic, LIMITS.topicBytes),
    uri,
    bytes,
    changed_utc: utc(at),
    ...(text !== undefined && { text }),
  };
}

function told(
  { name }: Broker,
  topic: string,
  payload: Buffer,
  kept: KeptTopic | undefined,
): { text: string; structured: object } {
  const content = contentOf(payload);
  const head = { topic, uri: uriOf(name, topic), found: true, mime_type: content.type, bytes: payload.length };
  const when = kept && { changed_utc: utc(kept.at) };
  if (!("text" in content)) return { text: content.base64, structured: { ...head, ...when, base64: content.base64 } };
  const json = content.type === "application/json" ? { json: jsonOf(content.text) } : { text: content.text };
  return { text: content.text, structured: { ...head, ...when, ...json } };
}

function utc(at: number): string {
  return new Date(at).toISOString();
}
