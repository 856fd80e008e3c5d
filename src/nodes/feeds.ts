/**
 * Subscriptions to what happens at other nodes. A node broadcasts the topics that it watches and repeats this every five seconds;
 * a subscription that is not renewed for fifteen seconds ends. Each publisher polls its subscribed topics four times a second and
 * sends what is new in one message. Without subscribers nothing is polled and nothing is sent.
 */
import type { Peer } from "../cluster/peer.ts";
import type { Channel } from "./channel.ts";

const TICK_MS = 250;
const RENEW_MS = 5_000;
/** How many ticks a subscription lasts without renewal: fifteen seconds. */
const SUBSCRIPTION_TICKS = 60;

type FeedNews<Topic, Batch> =
  /** All topics that the sender watches; replaces its previous list. */
  | { readonly what: "watch"; readonly topics: readonly (readonly [key: string, topic: Topic])[] }
  | { readonly what: "batch"; readonly key: string; readonly batch: Batch };

/** Reads one topic at this node for one subscriber. */
export interface Poller<Batch> {
  /** What is new since the last poll; undefined if nothing is. The first poll returns the current state. */
  poll(): Batch | undefined;
  close(): void;
}

interface Subscriber<Batch> {
  readonly peer: Peer;
  readonly pollers: Map<string, Poller<Batch>>;
  ticksLeft: number;
}

interface Watched<Topic, Batch> {
  readonly topic: Topic;
  take(from: Peer, batch: Batch): void;
}

interface FeedsSetup<Topic, Batch> {
  open(take: (from: Peer, news: unknown) => void): Channel;
  /** Starts to read this node's side of a topic for a subscriber. */
  openPoller(topic: Topic): Poller<Batch>;
}

export class Feeds<Topic, Batch> {
  readonly #setup: FeedsSetup<Topic, Batch>;
  readonly #channel: Channel;
  readonly #watched = new Map<string, Watched<Topic, Batch>>();
  readonly #subscribers = new Map<string, Subscriber<Batch>>();
  #renewTimer: NodeJS.Timeout | undefined;
  #pollTimer: NodeJS.Timeout | undefined;

  constructor(setup: FeedsSetup<Topic, Batch>) {
    this.#setup = setup;
    this.#channel = setup.open((from, news) => this.#received(from, news as FeedNews<Topic, Batch>));
    this.#channel.onMembers(() => this.#membersChanged());
  }

  /**
   * Subscribes to a topic at all other nodes; the returned function unsubscribes. `key` identifies the topic, and only one watcher
   * may use it.
   */
  watch(key: string, topic: Topic, take: Watched<Topic, Batch>["take"]): () => void {
    this.#watched.set(key, { topic, take });
    this.#renewTimer ??= setInterval(() => this.#sendSubscriptions(), RENEW_MS).unref();
    this.#sendSubscriptions();
    return () => this.#unwatch(key);
  }

  #unwatch(key: string): void {
    this.#watched.delete(key);
    this.#sendSubscriptions();
    if (this.#watched.size > 0) return;
    clearInterval(this.#renewTimer);
    this.#renewTimer = undefined;
  }

  #sendSubscriptions(): void {
    const topics = [...this.#watched].map(([key, { topic }]) => [key, topic] as const);
    this.#channel.cast({ what: "watch", topics } satisfies FeedNews<Topic, Batch>);
  }

  /** A node that has joined gets our subscriptions at once; those of a node that has left end. */
  #membersChanged(): void {
    const alive = new Set(this.#channel.others().map(({ boot }) => boot));
    for (const [boot, subscriber] of this.#subscribers) if (!alive.has(boot)) this.#forget(subscriber);
    this.#startOrStopPolling();
    if (this.#watched.size > 0) this.#sendSubscriptions();
  }

  #received(from: Peer, news: FeedNews<Topic, Batch>): void {
    if (news.what === "batch") this.#watched.get(news.key)?.take(from, news.batch);
    else this.#subscribed(from, news.topics);
  }

  #subscribed(peer: Peer, topics: readonly (readonly [string, Topic])[]): void {
    const pollers = this.#subscribers.get(peer.boot)?.pollers ?? new Map<string, Poller<Batch>>();
    const keys = new Set(topics.map(([key]) => key));
    for (const [key, poller] of pollers)
      if (!keys.has(key)) {
        poller.close();
        pollers.delete(key);
      }
    const fresh = topics.filter(([key]) => !pollers.has(key));
    for (const [key, topic] of fresh) pollers.set(key, this.#setup.openPoller(topic));
    if (pollers.size === 0) this.#subscribers.delete(peer.boot);
    else this.#subscribers.set(peer.boot, { peer, pollers, ticksLeft: SUBSCRIPTION_TICKS });
    this.#startOrStopPolling();
    // A new subscriber waits for the current state.
    for (const [key] of fresh) this.#sendNew(peer, key, pollers.get(key));
  }

  #startOrStopPolling(): void {
    if (this.#subscribers.size > 0) this.#pollTimer ??= setInterval(() => this.#tick(), TICK_MS).unref();
    else {
      clearInterval(this.#pollTimer);
      this.#pollTimer = undefined;
    }
  }

  #tick(): void {
    for (const subscriber of this.#subscribers.values()) {
      if (--subscriber.ticksLeft < 0) this.#forget(subscriber);
      else for (const [key, poller] of subscriber.pollers) this.#sendNew(subscriber.peer, key, poller);
    }
    this.#startOrStopPolling();
  }

  #forget({ peer, pollers }: Subscriber<Batch>): void {
    this.#subscribers.delete(peer.boot);
    for (const poller of pollers.values()) poller.close();
  }

  #sendNew(peer: Peer, key: string, poller: Poller<Batch> | undefined): void {
    const batch = poller?.poll();
    if (batch !== undefined) this.#channel.tell(peer, { what: "batch", key, batch } satisfies FeedNews<Topic, Batch>);
  }
}
