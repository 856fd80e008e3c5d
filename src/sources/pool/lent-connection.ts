/**
 * One more connection to a source, lent to one client at a time: it declares what that client declared, so that whatever
 * the source asks on it is for this client and nobody else.
 */
import type { Caller, ToolDefinition } from "../../core/call.ts";
import type { Clock } from "../../core/ports.ts";
import { ZaguanError } from "../../errors.ts";
import { anyOf, type CancelSignal, LightAbort } from "../../light-abort.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { ServerFace } from "../../protocol/mcp/face.ts";
import type { Declared, Source, SourceRequest } from "../source.ts";

/** What a connection's source says without naming a request. */
export interface Unaddressed {
  /** The signal takes the question back. */
  onRequest(method: string, params: Payload, signal?: CancelSignal): Promise<Payload>;
  onNotification(method: string, params: Payload): void;
  /** The source's list of tools, as this connection sees it, is another now. */
  onToolsChanged(): void;
  /** It is up; again: it was started anew, and has forgotten all that it was told. */
  onReady?(isAgain: boolean): void;
}

interface LentConnectionOptions {
  readonly clock: Clock;
  /** Which clients may have it: of one principal, and with the same capabilities. */
  readonly key: string;
  readonly client: Declared;
  make(heard: Unaddressed, client: Declared): Source;
  /** Takes what concerns everybody. */
  onNotification(method: string, params: Payload): void;
  onToolsChanged(): void;
  /** None of its client's requests is under way. */
  onIdle(): void;
  onClosed(): void;
}

const CHANGES = /^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated)$/;
const SUBSCRIBE = "resources/subscribe";
const IDLE_MS = 60_000;

export class LentConnection {
  readonly key: string;
  readonly #options: LentConnectionOptions;
  readonly #source: Source;
  readonly #running = new Set<SourceRequest>();
  readonly #subscribed = new Set<string>();
  #holder: Caller | undefined;
  /** How many requests are on their way to it, those that wait for it to be ready included. */
  #claims = 0;
  /** Its source knows something of its client, or may still ask about a call that was given up. */
  #isMarked = false;
  /** Aborted when none of the requests under way is left. */
  #busy: LightAbort | undefined;
  #stopWaiting: () => void = () => {};
  #isClosed = false;
  lastUsed = 0;

  constructor(options: LentConnectionOptions) {
    this.key = options.key;
    this.#options = options;
    const heard: Unaddressed = {
      onRequest: (method, params, signal) => this.#ask(method, params, signal),
      onNotification: (method, params) => this.#tell(method, params),
      onToolsChanged: options.onToolsChanged,
      onReady: (isAgain) => isAgain && this.#subscribeAgain(),
    };
    this.#source = options.make(heard, options.client);
  }

  get isIdle(): boolean {
    return this.#claims === 0;
  }

  /** Nobody has it, and its source knows nothing of whoever had it before. */
  get isFree(): boolean {
    return this.isIdle && !this.#isMarked && this.#subscribed.size === 0 && !this.#isKept;
  }

  /** A client with a session keeps it. */
  get #isKept(): boolean {
    return this.#holder !== undefined && !this.#holder.comesAgain;
  }

  get #newest(): SourceRequest | undefined {
    return [...this.#running].at(-1);
  }

  get isReady(): boolean {
    return this.#source.currentFace?.() !== undefined;
  }

  get hasLived(): boolean {
    return this.#source.status().lastSeen !== undefined;
  }

  isOf({ identity }: Caller): boolean {
    return this.#holder?.identity === identity;
  }

  /** To be called at once when it is given to somebody: until the request is over, no other may have it. */
  claim(holder: Caller): void {
    this.#stopWaiting();
    this.#holder = holder;
    this.#claims += 1;
    this.lastUsed = this.#options.clock.now();
  }

  release(): void {
    this.#claims -= 1;
    if (this.isIdle) this.#options.onIdle();
    this.#retireWhenIdle();
  }

  /** Resolves when it can be used, with what the source says of itself on it. */
  face(signal: CancelSignal): Promise<ServerFace | undefined> {
    return this.#source.face(signal);
  }

  listTools(signal: CancelSignal): Promise<readonly ToolDefinition[]> {
    return this.#source.listTools(signal);
  }

  async request(request: SourceRequest): Promise<Payload> {
    this.#running.add(request);
    try {
      const result = await this.#source.request(request);
      this.#learn(request);
      return result;
    } finally {
      this.#isMarked ||= request.signal.aborted;
      this.#running.delete(request);
      if (this.#running.size === 0) this.#busy?.abort();
    }
  }

  notify(method: string, params: Payload): void {
    this.#source.notify(method, params);
  }

  /** Its client has gone, and with it whatever it subscribed to. */
  left(): void {
    this.#holder = undefined;
    this.#isMarked ||= this.#subscribed.size > 0;
    this.#subscribed.clear();
    this.#retireWhenIdle();
  }

  log(): readonly string[] {
    return this.#source.status().log;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWaiting();
    this.#options.onClosed();
    return this.#source.close();
  }

  /** One whose client stays is kept for it, with all that it did there; what its source knows of it is for no other. */
  #retireWhenIdle(): void {
    if (this.#isKept || !this.isIdle || this.#isClosed || this.#subscribed.size > 0) return;
    if (!this.#holder && this.#isMarked) return void this.close();
    this.#stopWaiting();
    this.#stopWaiting = this.#options.clock.after(IDLE_MS, () => void this.close());
  }

  #learn({ method, params }: SourceRequest): void {
    const uri = String((params?.value as { uri?: unknown } | null | undefined)?.uri);
    if (method === SUBSCRIBE) this.#subscribed.add(uri);
    if (method === "resources/unsubscribe") this.#subscribed.delete(uri);
    if (method === "logging/setLevel") this.#isMarked = true;
  }

  #subscribeAgain(): void {
    for (const uri of this.#subscribed) {
      const params = Payload.ofValue({ uri });
      const request = { method: SUBSCRIBE, name: SUBSCRIBE, args: params, params };
      this.#source.request({ ...request, language: "en", signal: new LightAbort() }).catch(() => {});
    }
  }

  /** A client with a session may be asked at any time. While somebody is asked, the calls that wait are not late. */
  async #ask(method: string, params: Payload, wanted: CancelSignal | undefined): Promise<Payload> {
    const holder = this.#holder;
    if (!holder || (holder.comesAgain && this.#running.size === 0)) throw nobodyToAsk(method);
    this.#isMarked = true;
    const resume = [...this.#running].map((request) => request.hold?.());
    try {
      return await this.#askIn(this.#newest, holder, method, params, this.#untilOver(wanted));
    } finally {
      for (const go of resume) go?.();
    }
  }

  /** A client of another node is asked through a call of its own: when that is over and others are not, through one of them. */
  async #askIn(
    call: SourceRequest | undefined,
    holder: Caller,
    ...question: Parameters<Caller["request"]>
  ): Promise<Payload> {
    const asked = call?.caller ?? holder;
    try {
      return await asked.request(...question);
    } catch (cause) {
      const [, , signal] = question;
      const next = this.#newest;
      const isOver = call !== undefined && !this.#running.has(call);
      if (!isOver || signal.aborted || !next?.caller || next.caller === asked) throw cause;
      return await this.#askIn(next, holder, ...question);
    }
  }

  #untilOver(wanted: CancelSignal | undefined): CancelSignal {
    const never = new LightAbort();
    if (this.#running.size === 0) return wanted ?? never;
    if (!this.#busy || this.#busy.aborted) this.#busy = new LightAbort();
    return wanted ? anyOf(this.#busy, wanted) : this.#busy;
  }

  #tell(method: string, params: Payload): void {
    const newest = this.#newest;
    const isLog = method === "notifications/message";
    if (isLog && newest) newest.onNotification?.(method, params);
    else if (this.#holder?.tell) this.#holder.tell(method, params);
    // Who has no session listens with everybody else; what is said to who has gone is for nobody.
    else if (this.#holder && CHANGES.test(method)) this.#options.onNotification(method, params);
  }
}

/** As a client that cannot be asked would say it. */
export function nobodyToAsk(method: string): ZaguanError {
  const relayed = { code: -32601, message: "There is no client to ask" };
  return new ZaguanError("UNKNOWN_METHOD", { params: { method }, relayed });
}
