/**
 * The one stream on which a server of a stateless revision tells of changes. What is wanted from it may grow and shrink;
 * then a new stream takes over before the old one is ended, so that nothing falls between. A stream that ends by itself
 * is opened again, ever more slowly.
 */
import { toZaguanError, ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import {
  filterFor,
  type Granted,
  readAcknowledgement,
  type SubscriptionFilter,
  subscriptionIdIn,
} from "../../protocol/mcp/subscription.ts";
import type { ConnectContext } from "../source.ts";
import { until } from "./until.ts";

interface ListeningOptions {
  readonly context: ConnectContext;
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Sends `subscriptions/listen`, tells its id, and resolves when the server ends it; the signal ends it from our side. */
  open(filter: SubscriptionFilter, signal: CancelSignal, onId: (id: number) => void): Promise<unknown>;
  /** The stream came (back), and there was none before: what changed meanwhile was not told. */
  onOpen(isAgain: boolean): void;
}

const ACKNOWLEDGE_MS = 10_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** A stream of this length was worth opening. */
const STEADY_MS = 30_000;
/** By these a server says that asking again cannot help. */
const REFUSALS: ReadonlySet<number> = new Set([-32600, -32601, -32602, -32021, -32022]);

/** The wish of those who were told that they are subscribed; who still waits has one of his own. */
const HELD = Symbol("held");

class Stream {
  readonly granted: PromiseWithResolvers<Granted> = Promise.withResolvers<Granted>();
  readonly openedAt: number;
  readonly #abort = new AbortController();
  uris: readonly unknown[] = [];
  id = Number.NaN;
  isGranted = false;
  isOver = false;

  constructor(openedAt: number) {
    this.openedAt = openedAt;
    // Not every stream has somebody who waits for its beginning.
    this.granted.promise.catch(() => {});
  }

  get signal(): CancelSignal {
    return this.#abort.signal;
  }

  grant(granted: Granted): void {
    this.isGranted = true;
    this.uris = granted.uris ?? [];
    this.granted.resolve(granted);
  }

  end(): void {
    this.#abort.abort(new ZaguanError("CANCELLED"));
  }
}

export class Listening {
  readonly #options: ListeningOptions;
  /** Who leaves takes only his own wish along. */
  readonly #wanted = new Map<string, Set<symbol>>();
  readonly #streams = new Set<Stream>();
  #current: Stream | undefined;
  /** The next change of streams, as long as it has not begun: whoever wants another change shares it. */
  #next: Promise<void> | undefined;
  /** The change of streams under way; never rejects. */
  #changing: Promise<void> = Promise.resolve();
  #failures = 0;
  #wasOpen = false;
  /** For a while nobody listened for what may change. */
  #hasGap = true;
  #isEnded = false;
  #stopTimer: () => void = () => {};

  constructor(options: ListeningOptions) {
    this.#options = options;
  }

  /** Opens the stream if there is anything to listen for; nobody waits for it. */
  begin(): void {
    this.#change().catch((error) => this.#failed(toZaguanError(error)));
  }

  /** Resolves when the server has said that it will tell of this resource. */
  async subscribe(uri: string, signal: CancelSignal): Promise<void> {
    if (!this.#declares("subscribe")) throw this.#refusal(-32601, "Method not found: resources/subscribe");
    const wish = Symbol("waiting");
    const wishes = this.#wanted.get(uri) ?? new Set();
    this.#wanted.set(uri, wishes.add(wish));
    try {
      if (!this.#tellsOf(uri)) await until(this.#change(), signal);
      if (!this.#tellsOf(uri)) throw this.#refusal(-32602, "The server does not tell of this resource");
      wishes.add(HELD);
    } finally {
      wishes.delete(wish);
      // Another list of wishes is of those who came after the end of this one.
      if (wishes.size === 0 && this.#wanted.get(uri) === wishes) this.#wanted.delete(uri);
    }
  }

  async unsubscribe(uri: string, signal: CancelSignal): Promise<void> {
    if (!this.#wanted.delete(uri)) return;
    // Whether the server takes note or not: nobody wants to hear of it any more.
    await until(this.#change(), signal).catch(() => {});
  }

  /** Whether a notification is of a stream that still counts. */
  has(id: number): boolean {
    return this.#find(id) !== undefined;
  }

  acknowledged(params: Payload): void {
    const stream = this.#find(subscriptionIdIn(params)) ?? this.#onlyOneUnheard();
    stream?.grant(readAcknowledgement(params));
  }

  /** The server may also end a stream by this word. */
  cancelled(params: Payload): void {
    const { requestId } = (params.value ?? {}) as { requestId?: unknown };
    const stream = this.#find(Number(requestId));
    stream?.granted.reject(endedAtOnce(this.#options.context.name));
    stream?.end();
  }

  /** What became of a stream that is not granted yet only the link can tell, to those who wait for it. */
  end(): void {
    this.#isEnded = true;
    this.#stopTimer();
    for (const stream of this.#streams) if (stream.isGranted) stream.end();
  }

  #change(): Promise<void> {
    if (this.#next) return this.#next;
    const next = this.#changing.then(() => {
      this.#next = undefined;
      return this.#replace();
    });
    this.#next = next;
    this.#changing = next.catch(() => {});
    return next;
  }

  async #replace(): Promise<void> {
    if (this.#isEnded) throw this.#closed();
    const old = this.#current;
    const filter = filterFor(this.#options.capabilities, this.#wanted.keys());
    const stream = filter && (await this.#open(filter));
    this.#stopTimer();
    this.#current = stream;
    old?.end();
    if (stream) this.#opened(stream);
    else if (filter) this.#hasGap = true;
  }

  /** A stream that takes over from one that stands misses nothing. */
  #opened(stream: Stream): void {
    if (this.#hasGap) this.#options.onOpen(this.#wasOpen);
    this.#hasGap = false;
    this.#wasOpen = true;
    if (stream.isOver) this.#lost(stream);
  }

  /** Undefined if the server grants nothing: there is nothing to come then. */
  async #open(filter: SubscriptionFilter): Promise<Stream | undefined> {
    const { clock, name } = this.#options.context;
    const stream = new Stream(clock.now());
    this.#streams.add(stream);
    const setId = (id: number): void => {
      stream.id = id;
    };
    this.#options.open(filter, stream.signal, setId).then(
      () => this.#over(stream, endedAtOnce(name)),
      (error) => this.#over(stream, toZaguanError(error)),
    );
    const late = fault(name, "it did not acknowledge the subscription");
    const stop = clock.after(ACKNOWLEDGE_MS, () => stream.granted.reject(late));
    try {
      const { isNothing } = await stream.granted.promise;
      if (!isNothing) return stream;
    } catch (error) {
      stream.end();
      throw error;
    } finally {
      stop();
    }
    stream.end();
    return undefined;
  }

  #over(stream: Stream, error: ZaguanError): void {
    stream.isOver = true;
    this.#streams.delete(stream);
    stream.granted.reject(error);
    if (stream === this.#current) this.#lost(stream);
  }

  #lost(stream: Stream): void {
    this.#current = undefined;
    this.#hasGap = true;
    if (this.#options.context.clock.now() - stream.openedAt >= STEADY_MS) this.#failures = 0;
    this.#later();
  }

  #failed(error: ZaguanError): void {
    const { relayed } = error.details;
    if (relayed && REFUSALS.has(relayed.code)) this.#options.context.onLog("the server offers no subscriptions");
    else this.#later();
  }

  #later(): void {
    if (this.#isEnded) return;
    const ms = Math.min(FIRST_WAIT_MS * 2 ** Math.min(this.#failures++, 10), LONGEST_WAIT_MS);
    this.#stopTimer();
    this.#stopTimer = this.#options.context.clock.after(ms, () => this.begin());
  }

  #find(id: number | undefined): Stream | undefined {
    for (const stream of this.#streams) if (stream.id === id) return stream;
    return undefined;
  }

  /** For servers that do not say which request they acknowledge. */
  #onlyOneUnheard(): Stream | undefined {
    const others = [...this.#streams].filter((stream) => stream !== this.#current);
    return others.length === 1 ? others[0] : undefined;
  }

  #tellsOf(uri: string): boolean {
    return this.#current?.uris.includes(uri) === true;
  }

  #declares(ability: string): boolean {
    const resources = this.#options.capabilities["resources"] as Readonly<Record<string, unknown>> | null | undefined;
    return resources?.[ability] === true;
  }

  #closed(): ZaguanError {
    const params = { source: this.#options.context.name, reason: "closed" };
    return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent" });
  }

  /** As the server itself would say it to a client of an older revision. */
  #refusal(code: number, message: string): ZaguanError {
    const params = { source: this.#options.context.name, reason: message };
    return new ZaguanError("SOURCE_ERROR", { params, delivery: "executed", relayed: { code, message } });
  }
}

function endedAtOnce(source: string): ZaguanError {
  return fault(source, "it ended the subscription at once");
}

function fault(source: string, reason: string): ZaguanError {
  return new ZaguanError("SOURCE_ERROR", { params: { source, reason }, delivery: "unknown" });
}
