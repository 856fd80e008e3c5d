/**
 * Topics as MCP's resources: `mqtt://<source>/<topic>`. Whoever subscribes hears of changes, which are gathered for a
 * moment, and of a changed list a little later.
 */
import { isObject } from "../../contract/rules.ts";
import type { Clock } from "../../core/ports.ts";
import { answerTooLarge, ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import { LIMITS, type MqttMemory } from "./broker.ts";
import { contentOf } from "./payload.ts";
import { tell } from "./texts/index.ts";
import {
  type Effect,
  type KeptTopic,
  matchesAny,
  shown,
  type TopicStore,
  templateOf,
  topicOf,
  uriOf,
} from "./topics.ts";

interface ResourcesOptions {
  readonly name: string;
  readonly store: TopicStore;
  readonly clock: Clock;
  readonly memory: MqttMemory;
  /** Those that are shown. */
  readonly filters: readonly string[];
  notify(method: string, params: Payload): void;
}

const LIST_MS = 1_000;
const PAGE = 200;
const NOT_FOUND = -32002;

export class TopicResources {
  readonly #options: ResourcesOptions;
  /** The URIs by which somebody listens, by topic. */
  readonly #subscribed = new Map<string, Set<string>>();
  readonly #changed = new Set<string>();
  #stopUpdates: (() => void) | undefined;
  #stopList: (() => void) | undefined;

  constructor(options: ResourcesOptions) {
    this.#options = options;
  }

  /** Undefined if the method is about something else. */
  answer(method: string, params: Payload | undefined, language: Language): Payload | undefined {
    switch (method) {
      case "resources/list":
        return this.#list(memberOf(params, "cursor"));
      case "resources/templates/list":
        return Payload.ofValue({ resourceTemplates: templatesOf(this.#options.name, language) });
      case "resources/read":
        return this.#read(uriIn(params));
      case "resources/subscribe":
        return this.#subscribe(uriIn(params));
      case "resources/unsubscribe":
        return this.#unsubscribe(uriIn(params));
      default:
        return undefined;
    }
  }

  changed(topic: string, effect: Effect): void {
    if (effect === "none") return;
    if (this.#subscribed.has(topic)) this.#tellLater(topic);
    if (effect === "changed") return;
    this.#stopList ??= this.#options.clock.after(LIST_MS, () => {
      this.#stopList = undefined;
      this.#options.notify("notifications/resources/list_changed", EMPTY_OBJECT);
    });
  }

  /** A connection that nobody listened to has nothing to remember. */
  end(): void {
    this.#stopUpdates?.();
    this.#stopList?.();
    if (this.#subscribed.size === 0) return;
    const { memory, store } = this.#options;
    memory.lastHeard.clear();
    for (const topic of this.#subscribed.keys()) memory.lastHeard.set(topic, store.get(topic)?.payload);
  }

  /** In the order of their names; a cursor is the last name of the page before, so that topics may come and go between. */
  #list(cursor: unknown): Payload {
    const after = typeof cursor === "string" ? (topicOf(this.#options.name, cursor) ?? "") : "";
    const topics = [...this.#options.store.all()].filter(({ topic }) => topic > after && this.#isShown(topic));
    topics.sort((a, b) => (a.topic < b.topic ? -1 : 1));
    const page = topics.slice(0, PAGE);
    const last = page.at(-1);
    const nextCursor = last && topics.length > PAGE ? uriOf(this.#options.name, last.topic) : undefined;
    return Payload.ofValue({
      resources: page.map((kept) => this.#resourceOf(kept)),
      ...(nextCursor && { nextCursor }),
    });
  }

  #resourceOf({ topic, payload, bytes, at }: KeptTopic): object {
    const mimeType = payload && contentOf(payload).type;
    const name = shown(topic, LIMITS.topicBytes);
    const annotations = { lastModified: new Date(at).toISOString() };
    return { uri: uriOf(this.#options.name, topic), name, size: bytes, annotations, ...(mimeType && { mimeType }) };
  }

  #read(uri: string): Payload {
    const kept = this.#options.store.get(this.#topicOf(uri));
    if (!kept) throw notFound(uri);
    if (!kept.payload) throw answerTooLarge(this.#options.name, kept.bytes, LIMITS.payloadBytes, "not_sent");
    const content = contentOf(kept.payload);
    const { type: mimeType } = content;
    const body = "text" in content ? { text: content.text } : { blob: content.base64 };
    return Payload.ofValue({ contents: [{ uri, mimeType, ...body }] });
  }

  /** One that is not there may come. */
  #subscribe(uri: string): Payload {
    const topic = this.#topicOf(uri);
    const uris = this.#subscribed.get(topic) ?? new Set();
    if (this.#subscribed.size >= LIMITS.topics && uris.size === 0) throw notFound(uri);
    this.#subscribed.set(topic, uris.add(uri));
    this.#catchUp(topic);
    return EMPTY_OBJECT;
  }

  #unsubscribe(uri: string): Payload {
    const topic = this.#topicOf(uri);
    const uris = this.#subscribed.get(topic);
    uris?.delete(uri);
    if (uris?.size === 0) this.#subscribed.delete(topic);
    return EMPTY_OBJECT;
  }

  /** What changed while the broker was away is told to those who come back. */
  #catchUp(topic: string): void {
    const { memory, store } = this.#options;
    if (!memory.lastHeard.has(topic)) return;
    const before = memory.lastHeard.get(topic) ?? NOTHING;
    memory.lastHeard.delete(topic);
    if (!before.equals(store.get(topic)?.payload ?? NOTHING)) this.#tellLater(topic);
  }

  #tellLater(topic: string): void {
    this.#changed.add(topic);
    this.#stopUpdates ??= this.#options.clock.after(LIMITS.gatherMs, () => {
      this.#stopUpdates = undefined;
      const uris = [...this.#changed].flatMap((each) => [...(this.#subscribed.get(each) ?? [])]);
      this.#changed.clear();
      for (const uri of uris) this.#options.notify("notifications/resources/updated", Payload.ofValue({ uri }));
    });
  }

  #topicOf(uri: string): string {
    const topic = topicOf(this.#options.name, uri);
    if (topic === undefined || !this.#isShown(topic)) throw notFound(uri);
    return topic;
  }

  #isShown(topic: string): boolean {
    return matchesAny(this.#options.filters, topic);
  }
}

/** What can be told of a broker that has never been seen. */
export function templatesOf(name: string, language: Language): readonly Readonly<Record<string, string>>[] {
  return [{ uriTemplate: templateOf(name), name: `topic of ${name}`, description: tell(language, "resource") }];
}

const NOTHING = Buffer.alloc(0);

function memberOf(params: Payload | undefined, name: string): unknown {
  return isObject(params?.value) ? params.value[name] : undefined;
}

function uriIn(params: Payload | undefined): string {
  const uri = memberOf(params, "uri");
  if (typeof uri === "string") return uri;
  throw new ZaguanError("INVALID_PARAMS", { params: { reason: "'uri' must be a text" }, delivery: "not_sent" });
}

/** In MCP's own number, which every door knows how to say. */
function notFound(uri: string): ZaguanError {
  const message = `Resource not found: ${JSON.stringify(uri.slice(0, 200))}`;
  const relayed = { code: NOT_FOUND, message, data: { uri } };
  return new ZaguanError("INVALID_PARAMS", { params: { reason: message }, relayed, delivery: "not_sent" });
}
