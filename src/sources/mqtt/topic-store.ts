/**
 * The last message of each topic, as far as there is room: when there are too many topics or bytes, those that have been
 * silent for longest are forgotten. Pure.
 */
import { LIMITS } from "./options.ts";

export interface KeptTopic {
  readonly topic: string;
  /** Undefined where it is too large to be kept. */
  readonly payload: Buffer | undefined;
  readonly bytes: number;
  readonly isRetained: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface StoreLimits {
  readonly topics: number;
  readonly keptBytes: number;
  readonly payloadBytes: number;
  readonly topicBytes: number;
}

/** What one message did to the list of topics. */
export type Effect = "added" | "changed" | "removed" | "none";

/** What a topic costs beside its payload. */
const OVERHEAD_BYTES = 200;

export class TopicStore {
  readonly #limits: StoreLimits;
  /** The one that was heard last is the last. */
  readonly #topics = new Map<string, KeptTopic>();
  #bytes = 0;
  /** How many topics were forgotten for want of room. */
  forgotten = 0;

  constructor(limits: StoreLimits = LIMITS) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#topics.size;
  }

  get(topic: string): KeptTopic | undefined {
    return this.#topics.get(topic);
  }

  all(): IterableIterator<KeptTopic> {
    return this.#topics.values();
  }

  /** A retained message without a payload takes the topic's value away (MQTT 5.0, 3.3.1.3): so does any empty one here. */
  take(topic: string, payload: Buffer, isRetained: boolean, at: number): Effect {
    if (Buffer.byteLength(topic) > this.#limits.topicBytes) return "none";
    const before = this.#drop(topic);
    if (payload.length === 0) return before ? "removed" : "none";
    const fits = payload.length <= this.#limits.payloadBytes;
    // A small part of a large chunk would keep the whole chunk.
    const kept = fits ? Buffer.from(payload) : undefined;
    this.#topics.set(topic, { topic, payload: kept, bytes: payload.length, isRetained, at });
    this.#bytes += OVERHEAD_BYTES + topic.length + (kept?.length ?? 0);
    this.#makeRoom();
    return before ? "changed" : "added";
  }

  #makeRoom(): void {
    while (this.#topics.size > this.#limits.topics || this.#bytes > this.#limits.keptBytes) {
      const [oldest] = this.#topics.keys();
      this.#drop(oldest as string);
      this.forgotten++;
    }
  }

  #drop(topic: string): boolean {
    const kept = this.#topics.get(topic);
    if (!kept) return false;
    this.#bytes -= OVERHEAD_BYTES + topic.length + (kept.payload?.length ?? 0);
    return this.#topics.delete(topic);
  }
}
