/**
 * Topics and filters of MQTT (MQTT 5.0, 4.7), the URIs under which topics are resources, and the store of their last
 * messages. Pure.
 */
import { withHidden } from "../../protocol/text/hidden.ts";
import { LIMITS } from "./broker.ts";

const SCHEME = "mqtt://";
const MOST_BYTES = 65_535;

/** A name that something can be published to. */
export function isTopic(text: string): boolean {
  return isSound(text) && !/[#+]/.test(text);
}

/** `+` stands for one whole level, `#` for all that follow. */
export function isFilter(text: string): boolean {
  const levels = text.split("/");
  const isLevel = (level: string, index: number): boolean =>
    level === "+" || (level === "#" && index === levels.length - 1) || !/[#+]/.test(level);
  return isSound(text) && levels.every(isLevel);
}

/** Wildcards at the first level do not match topics that begin with `$`: those are the broker's own. */
export function matches(filter: string, topic: string): boolean {
  if (topic.startsWith("$") && !filter.startsWith("$")) return false;
  const [wanted, levels] = [filter.split("/"), topic.split("/")];
  for (const [index, level] of wanted.entries()) {
    if (level === "#") return true;
    if (index >= levels.length || (level !== "+" && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}

export function matchesAny(filters: readonly string[], topic: string): boolean {
  return filters.some((filter) => matches(filter, topic));
}

/**
 * Slashes stay, so that people can read it; but a level of dots alone would be taken for a step upwards in a path, and then
 * the slashes are encoded too.
 */
export function uriOf(source: string, topic: string): string {
  const sound = topic.toWellFormed();
  const hasDots = sound.split("/").some((level) => level === "." || level === "..");
  const path = encodeURIComponent(sound);
  return `${SCHEME}${source}/${hasDots ? path : path.replaceAll("%2F", "/")}`;
}

/** Undefined where it is no URI of this source. */
export function topicOf(source: string, uri: string): string | undefined {
  const start = `${SCHEME}${source}/`;
  if (!uri.startsWith(start)) return undefined;
  try {
    const topic = decodeURIComponent(uri.slice(start.length));
    return isTopic(topic) ? topic : undefined;
  } catch {
    return undefined;
  }
}

export function templateOf(source: string): string {
  return `${SCHEME}${source}/{+topic}`;
}

/** A text from the wire as it may be shown: on one line, of a length to read, with nothing in it that cannot be seen. */
export function shown(text: string, most: number): string {
  const line = withHidden(text.slice(0, most * 4).replace(/\s+/g, " "), () => "").trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line.toWellFormed();
}

function isSound(text: string): boolean {
  return text !== "" && !text.includes("\0") && text.isWellFormed() && Buffer.byteLength(text) <= MOST_BYTES;
}

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
type Effect = "added" | "changed" | "removed" | "none";

/** What a topic costs beside its payload. */
const OVERHEAD_BYTES = 200;

/**
 * The last message of each topic, as far as there is room: when there are too many topics or bytes, those that have
 * been silent for longest are forgotten.
 */
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
    // Copied, since a slice would keep the whole chunk of the socket in memory.
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
