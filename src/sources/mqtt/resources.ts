/**
 * Topics as MCP's resources: `mqtt://<source>/<topic>`. Whoever subscribes hears of changes, which are gathered for a
 * moment, and of a changed list a little later.
 */
import { answerTooLarge } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import { notFound, type ResourceSet } from "../shared/live-resources.ts";
import { LIMITS } from "./broker.ts";
import { contentOf } from "./payload.ts";
import { tell } from "./texts/index.ts";
import { type KeptTopic, matchesAny, shown, type TopicStore, templateOf, topicOf, uriOf } from "./topics.ts";

const PAGE = 200;

/** The topics of a store, as far as these filters show them. */
export class TopicResources implements ResourceSet<Buffer> {
  readonly #source: string;
  readonly #store: TopicStore;
  readonly #filters: readonly string[];

  constructor(source: string, store: TopicStore, filters: readonly string[]) {
    this.#source = source;
    this.#store = store;
    this.#filters = filters;
  }

  /** In the order of their names; a cursor is the last name of the page before, so that topics may come and go between. */
  list(cursor: unknown): object {
    const after = typeof cursor === "string" ? (topicOf(this.#source, cursor) ?? "") : "";
    const topics = [...this.#store.all()].filter(({ topic }) => topic > after && this.#isShown(topic));
    topics.sort((a, b) => (a.topic < b.topic ? -1 : 1));
    const page = topics.slice(0, PAGE);
    const last = page.at(-1);
    const nextCursor = last && topics.length > PAGE ? uriOf(this.#source, last.topic) : undefined;
    return { resources: page.map((kept) => this.#resourceOf(kept)), ...(nextCursor && { nextCursor }) };
  }

  templates(language: Language): readonly object[] {
    return templatesOf(this.#source, language);
  }

  idOf(uri: string): string {
    const topic = topicOf(this.#source, uri);
    if (topic === undefined || !this.#isShown(topic)) throw notFound(uri);
    return topic;
  }

  read(topic: string): object | undefined {
    const kept = this.#store.get(topic);
    if (!kept) return undefined;
    if (!kept.payload) throw answerTooLarge(this.#source, kept.bytes, LIMITS.payloadBytes, "not_sent");
    const content = contentOf(kept.payload);
    const body = "text" in content ? { text: content.text } : { blob: content.base64 };
    return { mimeType: content.type, ...body };
  }

  get(topic: string): Buffer | undefined {
    return this.#store.get(topic)?.payload;
  }

  isSame(before: Buffer = NOTHING, now: Buffer = NOTHING): boolean {
    return before.equals(now);
  }

  #resourceOf({ topic, payload, bytes, at }: KeptTopic): object {
    const mimeType = payload && contentOf(payload).type;
    const name = shown(topic, LIMITS.topicBytes);
    const annotations = { lastModified: new Date(at).toISOString() };
    return { uri: uriOf(this.#source, topic), name, size: bytes, annotations, ...(mimeType && { mimeType }) };
  }

  #isShown(topic: string): boolean {
    return matchesAny(this.#filters, topic);
  }
}

/** What can be told of a broker that has never been seen. */
export function templatesOf(name: string, language: Language): readonly Readonly<Record<string, string>>[] {
  return [{ uriTemplate: templateOf(name), name: `topic of ${name}`, description: tell(language, "resource") }];
}

const NOTHING = Buffer.alloc(0);
