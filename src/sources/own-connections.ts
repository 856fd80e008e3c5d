/**
 * A source that asks back (sampling, elicitation, roots) without saying on whose behalf can only be understood if one caller
 * at a time uses the connection. Once a source has shown that it asks so, every caller that can be asked gets a
 * connection of its own, a few at most, as it would have without us; all others go on sharing the first one.
 */
import type { Caller, ToolDefinition } from "../core/call.ts";
import type { Clock } from "../core/ports.ts";
import { ZaguanError } from "../errors.ts";
import type { Payload } from "../protocol/json/payload.ts";
import type { ServerFace } from "../protocol/mcp/face.ts";
import type { Source, SourceRequest, SourceStatus } from "./source.ts";

/** What a connection's source says without naming a request. */
export interface Unaddressed {
  onRequest(method: string, params: Payload): Promise<Payload>;
  onNotification(method: string, params: Payload): void;
}

export interface OwnConnectionsOptions {
  readonly clock: Clock;
  /** Makes a supervised source; all but the first with the same settings, and unnoticed. */
  make(heard: Unaddressed, isFirst: boolean): Source;
  /** For the connection that is shared. */
  readonly shared: Unaddressed;
}

const MOST = 16;
const IDLE_MS = 60_000;

export class OwnConnections implements Source {
  readonly #options: OwnConnectionsOptions;
  readonly #shared: Source;
  readonly #own = new Set<OwnConnection>();
  #asks = false;

  constructor(options: OwnConnectionsOptions) {
    this.#options = options;
    this.#shared = options.make(
      {
        onNotification: (method, params) => options.shared.onNotification(method, params),
        onRequest: (method, params) => {
          this.#asks = true;
          return options.shared.onRequest(method, params);
        },
      },
      true,
    );
  }

  get name(): string {
    return this.#shared.name;
  }

  get kind(): string {
    return this.#shared.kind;
  }

  get trusted(): boolean {
    return this.#shared.trusted;
  }

  get concurrency(): number {
    return this.#shared.concurrency;
  }

  listTools(signal: AbortSignal): Promise<readonly ToolDefinition[]> {
    return this.#shared.listTools(signal);
  }

  face(signal: AbortSignal): Promise<ServerFace | undefined> {
    return this.#shared.face(signal);
  }

  notify(method: string, params: Payload): void {
    this.#shared.notify(method, params);
  }

  status(): SourceStatus {
    return this.#shared.status();
  }

  request(request: SourceRequest): Promise<Payload> {
    const { caller } = request;
    const own = this.#asks && caller?.canBeAsked && MAY_ASK.has(request.method) ? this.#ownOf(caller) : undefined;
    return own ? own.request(request, caller as Caller) : this.#shared.request(request);
  }

  async close(): Promise<void> {
    await Promise.all([this.#shared.close(), ...[...this.#own].map((own) => own.close())]);
  }

  /** Its own, one that nobody needs just now, or a new one; undefined if there are enough. */
  #ownOf(caller: Caller): OwnConnection | undefined {
    const all = [...this.#own];
    const found = all.find((own) => own.caller === caller) ?? all.find((own) => own.isFree);
    return found ?? (this.#own.size < MOST ? this.#open() : undefined);
  }

  #open(): OwnConnection {
    const own: OwnConnection = new OwnConnection(this.#options, () => this.#own.delete(own));
    this.#own.add(own);
    return own;
  }
}

/** In the middle of these a source may ask something. */
const MAY_ASK: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

/** These concern everybody, on whichever connection they come. */
const FOR_ALL = /^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated)$/;

/** One more connection, which belongs to one caller while that has something under way. */
class OwnConnection {
  readonly #source: Source;
  readonly #options: OwnConnectionsOptions;
  readonly #onIdle: () => void;
  readonly #running = new Set<SourceRequest>();
  #caller: Caller | undefined;
  #stopWaiting: () => void = () => {};
  #isClosed = false;

  constructor(options: OwnConnectionsOptions, onIdle: () => void) {
    this.#options = options;
    this.#onIdle = onIdle;
    this.#source = options.make(
      {
        onRequest: (method, params) => this.#ask(method, params),
        onNotification: (method, params) => this.#tell(method, params),
      },
      false,
    );
  }

  get caller(): Caller | undefined {
    return this.#caller;
  }

  get isFree(): boolean {
    return this.#running.size === 0;
  }

  async request(request: SourceRequest, caller: Caller): Promise<Payload> {
    this.#stopWaiting();
    this.#caller = caller;
    this.#running.add(request);
    try {
      return await this.#source.request(request);
    } finally {
      this.#running.delete(request);
      if (this.isFree) this.#waitForOthers();
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWaiting();
    this.#onIdle();
    return this.#source.close();
  }

  #waitForOthers(): void {
    if (!this.#isClosed) this.#stopWaiting = this.#options.clock.after(IDLE_MS, () => void this.close());
  }

  #newest(): SourceRequest | undefined {
    return [...this.#running].at(-1);
  }

  #ask(method: string, params: Payload): Promise<Payload> {
    const signal = this.#newest()?.signal;
    if (!this.#caller || !signal) return Promise.reject(nobodyWaits(method));
    return this.#caller.request(method, params, signal);
  }

  #tell(method: string, params: Payload): void {
    if (FOR_ALL.test(method)) this.#options.shared.onNotification(method, params);
    else this.#newest()?.onNotification?.(method, params);
  }
}

/** As a client that cannot be asked would say it. */
function nobodyWaits(method: string): ZaguanError {
  const relayed = { code: -32601, message: "There is no client to ask" };
  return new ZaguanError("UNKNOWN_METHOD", { params: { method }, relayed });
}
