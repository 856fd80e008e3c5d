/**
 * `GET /events`: the hub as it changes, over one stream. What changes often is gathered for a quarter of a second, so that
 * who watches costs the same whatever happens; while nobody watches, nothing is gathered at all.
 */
import type { Principal } from "../../core/call.ts";
import type { HubEvent } from "../../core/events.ts";
import { ZaguanError } from "../../errors.ts";
import type { DoorContext, Exchange } from "../door.ts";
import { EventStream } from "../http/event-stream.ts";
import type { Hello } from "./views.ts";
import type { Watcher } from "./watcher.ts";

const TICK_MS = 250;
const TICKS_PER_FIGURES = 8;
const TICKS_PER_PROGRESS = 4;
const MOST_STREAMS = 100;
/** Limit for one principal who is no administrator, so that administrators always find room. */
const MOST_OF_ONE = 20;
const RETRY_MS = 5_000;
/** Events after which the list of servers is compared anew. */
const OF_SERVERS: ReadonlySet<HubEvent["type"]> = new Set([
  "source-state",
  "source-silent",
  "tools-changed",
  "config-reloaded",
]);

export class LiveStreams {
  readonly #context: DoorContext;
  readonly #watchers = new Set<Watcher>();
  #stopListening: (() => void) | undefined;
  #ticks = 0;
  #isClosed = false;

  constructor(context: DoorContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#watchers.size;
  }

  async open(exchange: Exchange): Promise<void> {
    // Loaded by the first who watches; before room is looked for, so that nobody comes in between.
    const { Watcher } = await import("./watcher.ts");
    if (this.#isClosed || this.#isFullFor(exchange.principal)) throw this.#full();
    if (exchange.request.method === "HEAD") return exchange.reply(200, "", { "content-type": "text/event-stream" });
    const watcher = new Watcher(this.#context, exchange.principal);
    // It listens from here on: what changes while `hello` is made is sent after it.
    this.#watchers.add(watcher);
    this.#listen();
    try {
      const hello = await watcher.hello();
      // Answered also while we close: an open request would keep the server from closing.
      if (!hello || this.#isClosed) throw this.#full();
      if (exchange.response.destroyed) this.#left(watcher);
      else this.#begin(exchange, watcher, hello);
    } catch (cause) {
      this.#left(watcher);
      throw cause;
    }
  }

  #begin({ response }: Exchange, watcher: Watcher, hello: Hello): void {
    const stream = new EventStream(response);
    stream.onClose(() => this.#left(watcher));
    stream.send(JSON.stringify(hello), "hello");
    watcher.start(stream);
  }

  close(): void {
    this.#isClosed = true;
    for (const watcher of [...this.#watchers]) {
      watcher.end();
      this.#left(watcher);
    }
  }

  #isFullFor({ admin, id }: Principal): boolean {
    if (this.#watchers.size >= MOST_STREAMS) return true;
    return !admin && [...this.#watchers].filter(({ principal }) => principal.id === id).length >= MOST_OF_ONE;
  }

  #full(): ZaguanError {
    const params = { source: "events", waiting: this.#watchers.size, seconds: RETRY_MS / 1_000 };
    return new ZaguanError("NO_CAPACITY", { params, retryAfterMs: RETRY_MS });
  }

  #left(watcher: Watcher): void {
    watcher.stop();
    this.#watchers.delete(watcher);
    if (this.#watchers.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #listen(): void {
    if (this.#stopListening) return;
    const timer = setInterval(() => this.#tick(), TICK_MS).unref();
    const unhear = this.#context.onEvent(({ type }) => {
      if (OF_SERVERS.has(type)) for (const watcher of this.#watchers) watcher.serversChanged();
    });
    const unlist = this.#context.gateway.onToolsChanged(() => {
      for (const watcher of this.#watchers) watcher.toolsChanged();
    });
    this.#stopListening = () => {
      clearInterval(timer);
      unhear();
      unlist();
    };
  }

  #tick(): void {
    const withFigures = ++this.#ticks % TICKS_PER_FIGURES === 0;
    const withProgress = this.#ticks % TICKS_PER_PROGRESS === 0;
    for (const watcher of this.#watchers) {
      watcher.tick(withFigures, withProgress).catch((cause) => {
        this.#context.report(cause);
        watcher.end();
      });
    }
  }
}
