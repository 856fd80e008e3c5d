/**
 * What happens at other nodes, told to this one for as long as somebody here watches it. A node says what it watches, and says
 * it again every few seconds: whoever is not told any more stops telling. What is new is looked for four times a second and
 * sent in one message; while nobody watches, nothing is looked for and nothing is sent.
 */
import type { Peer } from "../cluster/peer.ts";
import type { Channel } from "./channel.ts";

const TICK_MS = 250;
const RENEW_MS = 5_000;
/** How many looks a wish lasts without being renewed: fifteen seconds. */
const LASTING_TICKS = 60;

type FeedNews<Topic, Batch> =
  /** All that its sender watches from now on, in the place of what it said before. */
  | { readonly what: "watch"; readonly topics: readonly (readonly [key: string, topic: Topic])[] }
  | { readonly what: "batch"; readonly key: string; readonly batch: Batch };

/** What is new since the last look; undefined where nothing is. */
type Look<Batch> = () => Batch | undefined;

interface Subscriber<Batch> {
  readonly peer: Peer;
  readonly looks: Map<string, Look<Batch>>;
  ticksLeft: number;
}

interface Watched<Topic, Batch> {
  readonly topic: Topic;
  take(from: Peer, batch: Batch): void;
}

interface FeedsSetup<Topic, Batch> {
  open(take: (from: Peer, news: unknown) => void): Channel;
  /** Begins to look at this node for another one; the first look tells how things stand. */
  look(topic: Topic): Look<Batch>;
}

export class Feeds<Topic, Batch> {
  readonly #setup: FeedsSetup<Topic, Batch>;
  readonly #channel: Channel;
  readonly #watched = new Map<string, Watched<Topic, Batch>>();
  readonly #subscribers = new Map<string, Subscriber<Batch>>();
  #renewing: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(setup: FeedsSetup<Topic, Batch>) {
    this.#setup = setup;
    this.#channel = setup.open((from, news) => this.#heard(from, news as FeedNews<Topic, Batch>));
    this.#channel.onMembers(() => this.#membersChanged());
  }

  /** `key` stands for the topic, and is watched by nobody else here; the returned function ends it. */
  watch(key: string, topic: Topic, take: Watched<Topic, Batch>["take"]): () => void {
    this.#watched.set(key, { topic, take });
    this.#renewing ??= setInterval(() => this.#tellWishes(), RENEW_MS).unref();
    this.#tellWishes();
    return () => this.#unwatch(key);
  }

  #unwatch(key: string): void {
    this.#watched.delete(key);
    this.#tellWishes();
    if (this.#watched.size > 0) return;
    clearInterval(this.#renewing);
    this.#renewing = undefined;
  }

  #tellWishes(): void {
    const topics = [...this.#watched].map(([key, { topic }]) => [key, topic] as const);
    this.#channel.cast({ what: "watch", topics } satisfies FeedNews<Topic, Batch>);
  }

  /** One that has come is told at once what is watched here; one that is gone is told nothing more. */
  #membersChanged(): void {
    const alive = new Set(this.#channel.others().map(({ boot }) => boot));
    for (const boot of this.#subscribers.keys()) if (!alive.has(boot)) this.#subscribers.delete(boot);
    this.#restOrLook();
    if (this.#watched.size > 0) this.#tellWishes();
  }

  #heard(from: Peer, news: FeedNews<Topic, Batch>): void {
    if (news.what === "batch") this.#watched.get(news.key)?.take(from, news.batch);
    else this.#wished(from, news.topics);
  }

  #wished(peer: Peer, topics: readonly (readonly [string, Topic])[]): void {
    const looks = this.#subscribers.get(peer.boot)?.looks ?? new Map<string, Look<Batch>>();
    const keys = new Set(topics.map(([key]) => key));
    for (const key of looks.keys()) if (!keys.has(key)) looks.delete(key);
    const fresh = topics.filter(([key]) => !looks.has(key));
    for (const [key, topic] of fresh) looks.set(key, this.#setup.look(topic));
    if (looks.size === 0) this.#subscribers.delete(peer.boot);
    else this.#subscribers.set(peer.boot, { peer, looks, ticksLeft: LASTING_TICKS });
    this.#restOrLook();
    // Whoever just began to watch waits for how things stand.
    for (const [key] of fresh) this.#tellNews(peer, key, looks.get(key));
  }

  #restOrLook(): void {
    if (this.#subscribers.size > 0) this.#looking ??= setInterval(() => this.#tick(), TICK_MS).unref();
    else {
      clearInterval(this.#looking);
      this.#looking = undefined;
    }
  }

  #tick(): void {
    for (const subscriber of this.#subscribers.values()) {
      if (--subscriber.ticksLeft < 0) this.#subscribers.delete(subscriber.peer.boot);
      else for (const [key, look] of subscriber.looks) this.#tellNews(subscriber.peer, key, look);
    }
    this.#restOrLook();
  }

  #tellNews(peer: Peer, key: string, look: Look<Batch> | undefined): void {
    const batch = look?.();
    if (batch !== undefined) this.#channel.tell(peer, { what: "batch", key, batch } satisfies FeedNews<Topic, Batch>);
  }
}
