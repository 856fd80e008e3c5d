/** One more connection to a source, which belongs to one client: to a session while it lasts, to others call by call. */
import type { Caller } from "../core/call.ts";
import type { Clock } from "../core/ports.ts";
import { ZaguanError } from "../errors.ts";
import type { Payload } from "../protocol/json/payload.ts";
import { anyOf, type StopSignal } from "../stop.ts";
import type { Source, SourceRequest } from "./source.ts";

/** What a connection's source says without naming a request. */
export interface Unaddressed {
  /** The signal takes the question back. */
  onRequest(method: string, params: Payload, signal?: StopSignal): Promise<Payload>;
  onNotification(method: string, params: Payload): void;
}

export interface OwnConnectionOptions {
  readonly clock: Clock;
  /** For what concerns everybody. */
  readonly shared: Unaddressed;
  /** Makes a supervised source; all but the first with the same settings, and unnoticed. */
  make(heard: Unaddressed, isFirst: boolean): Source;
}

const CHANGES = /^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated)$/;
const IDLE_MS = 60_000;
const NEVER: StopSignal = new AbortController().signal;

export class OwnConnection {
  readonly #source: Source;
  readonly #clock: Clock;
  readonly #shared: Unaddressed;
  readonly #onClosed: () => void;
  readonly #running = new Set<SourceRequest>();
  readonly #subscribed = new Set<string>();
  #holder: Caller | undefined;
  #stopWaiting: () => void = () => {};
  #isClosed = false;

  constructor({ clock, shared, make }: OwnConnectionOptions, onClosed: () => void) {
    this.#clock = clock;
    this.#shared = shared;
    this.#onClosed = onClosed;
    const heard: Unaddressed = {
      onRequest: (method, params, signal) => this.#ask(method, params, signal),
      onNotification: (method, params) => this.#tell(method, params),
    };
    this.#source = make(heard, false);
  }

  /** Kept only in case its client comes again. */
  get isIdle(): boolean {
    return this.#isFree && this.#subscribed.size === 0;
  }

  get #isFree(): boolean {
    return this.#running.size === 0 && this.#holder?.comesAgain === true;
  }

  isOf({ identity }: Caller): boolean {
    return this.#holder?.identity === identity;
  }

  /** What its source remembers is of one client, and no other must see it; one call at a time of those without a session. */
  fits(caller: Caller): boolean {
    return this.#isFree && this.isOf(caller);
  }

  async request(request: SourceRequest, holder: Caller): Promise<Payload> {
    this.#stopWaiting();
    this.#holder = holder;
    this.#running.add(request);
    try {
      const result = await this.#source.request(request);
      this.#learn(request);
      return result;
    } finally {
      this.#running.delete(request);
      if (this.isIdle && !this.#isClosed) this.#stopWaiting = this.#clock.after(IDLE_MS, () => void this.close());
    }
  }

  notify(method: string, params: Payload): void {
    this.#source.notify(method, params);
  }

  restart(): Promise<void> {
    return this.#source.restart();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWaiting();
    this.#onClosed();
    return this.#source.close();
  }

  #learn({ method, params }: SourceRequest): void {
    const uri = String((params?.value as { uri?: unknown } | null | undefined)?.uri);
    if (method === "resources/subscribe") this.#subscribed.add(uri);
    if (method === "resources/unsubscribe") this.#subscribed.delete(uri);
  }

  #newest(): SourceRequest | undefined {
    return [...this.#running].at(-1);
  }

  /** A client with a session may be asked at any time. */
  #ask(method: string, params: Payload, wanted?: StopSignal): Promise<Payload> {
    const signal = this.#newest()?.signal ?? (this.#holder?.comesAgain ? undefined : NEVER);
    if (!this.#holder || !signal) return Promise.reject(nobodyToAsk(method));
    return this.#holder.request(method, params, wanted ? anyOf(signal, wanted) : signal);
  }

  #tell(method: string, params: Payload): void {
    const newest = this.#newest();
    const isLog = method === "notifications/message";
    if (isLog && newest) newest.onNotification?.(method, params);
    else if (this.#holder?.tell) this.#holder.tell(method, params);
    // Who has no session listens with everybody else.
    else if (CHANGES.test(method)) this.#shared.onNotification(method, params);
  }
}

/** As a client that cannot be asked would say it. */
function nobodyToAsk(method: string): ZaguanError {
  const relayed = { code: -32601, message: "There is no client to ask" };
  return new ZaguanError("UNKNOWN_METHOD", { params: { method }, relayed });
}
