/**
 * All connections to one source. Those who cannot be asked anything share the plain one, which declares nothing, so that the
 * source asks nothing there. A client that can be asked (sampling, elicitation, roots) is lent one that declares what it
 * declared: one with a session for as long as it stays, one without for each call. So a question always has one client
 * whom it can be meant for, from that client's first call on, as it would have without us.
 *
 * Whom a server of the stateless era may ask, and what, it is told with every request, and it asks in its answer: there
 * nothing has to be lent. A server of both eras is spoken to in the one in which the client at hand can be asked.
 */

import type { Caller, ToolDefinition } from "../../core/call.ts";
import type { KindLook } from "../../core/events.ts";
import type { Clock } from "../../core/ports.ts";
import { ZaguanError } from "../../errors.ts";
import { anyOf, type CancelSignal, LightAbort } from "../../light-abort.ts";
import { EMPTY_OBJECT, type Payload } from "../../protocol/json/payload.ts";
import type { ServerFace } from "../../protocol/mcp/face.ts";
import { ASKING_METHODS } from "../../protocol/mcp/input-required.ts";
import {
  ASKABLE,
  type Asker,
  type Declared,
  type Source,
  type SourceHealth,
  type SourceRequest,
  type SourceStatus,
  type Things,
} from "../source.ts";
import { Waiters } from "../waiters.ts";
import { LentConnection, nobodyToAsk, type Unaddressed } from "./lent-connection.ts";
import { WiderLists } from "./wider-lists.ts";

interface PoolOptions {
  readonly clock: Clock;
  /** How many connections may be lent at a time; none where a source has but one. */
  readonly most: number;
  /** True where each connection is to a process of its own. */
  readonly isolated?: boolean | undefined;
  /** Names of the tools that the source had when it was last seen. */
  readonly known?: readonly string[] | undefined;
  /** Takes what the source says to nobody in particular. */
  onNotification(method: string, params: Payload): void;
  /** What the source offers may be another now. */
  onToolsChanged(): void;
  /** The plain connection is up, for the first time or again. */
  onReady?(isAgain: boolean): void;
  /** Makes a supervised source; with a client, one that is in the handshake era, declares this, and is not shown. */
  make(heard: Unaddressed, client?: Declared): Source;
}

const UNSUBSCRIBE = "resources/unsubscribe";
/** A server that refused the handshake, or failed at it, is asked again after this time. */
const REFUSED_MS = 600_000;
const RETRY_MS = 5_000;
const LOOK_MS = 20_000;
/** How long the plain connection may be silent before the other one is asked, and how long that one has to answer. */
const PROOF_MS = 5_000;
/** What was asked before has this much more time when what was asked later is answered. */
const LATER_MS = 1_000;
const REFUSE_MS = 10_000;

export class Pool implements Source {
  readonly #options: PoolOptions;
  readonly #plain: Source;
  /** Made with the first: many sources never lend any. */
  #lent: Set<LentConnection> | undefined;
  /** Clients with a session, by identity: they stay where they began, with all that they did there. */
  #places: Map<string, LentConnection> | undefined;
  /** Clients for whom no connection is free. */
  readonly #waiters = new Waiters<void>();
  #noHandshakeUntil = Number.NEGATIVE_INFINITY;
  readonly #wider = new WiderLists();
  /** A second connection is open, and the plain one is being looked after, or was. */
  #provingPlain: Promise<void> | undefined;
  #isProven: boolean;
  /** The server has but one place for a client. */
  #isSingle = false;
  #scouting: Promise<void> | undefined;
  #scout: Source | undefined;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#isProven = options.isolated === true;
    this.#plain = options.make({
      onRequest: (method) => this.#refuse(method),
      onNotification: (method, params) => options.onNotification(method, params),
      onToolsChanged: () => options.onToolsChanged(),
      onReady: (isAgain) => options.onReady?.(isAgain),
    });
  }

  get name(): string {
    return this.#plain.name;
  }

  get kind(): string {
    return this.#plain.kind;
  }

  get trusted(): boolean {
    return this.#plain.trusted;
  }

  get concurrency(): number {
    return this.#plain.concurrency;
  }

  get isMcp(): boolean | undefined {
    return this.#plain.isMcp;
  }

  get hasThings(): boolean | undefined {
    return this.#plain.hasThings;
  }

  get look(): KindLook | undefined {
    return this.#plain.look;
  }

  /** Some servers show some of their tools only to clients that can be asked: those are found by one look as such a client. */
  async listTools(signal: CancelSignal): Promise<readonly ToolDefinition[]> {
    const plain = await this.#plain.listTools(signal);
    const named = new Set(plain.map(({ name }) => name));
    const missing = this.#options.known?.some((name) => !named.has(name));
    const isHandshake = this.#plain.currentFace?.()?.face?.greeting !== undefined;
    const mayLook = isHandshake && this.#mayLend && !this.#isClosed;
    if (mayLook && missing !== false) this.#scouting ??= this.#lookAsAskable(named);
    await this.#scouting;
    return this.#wider.addTo(plain);
  }

  async face(signal: CancelSignal, asker?: Asker): Promise<ServerFace | undefined> {
    const lent = asker?.caller?.canBeAsked ? await this.#lend(asker, asker.caller) : undefined;
    if (!lent) return this.#plain.face(signal);
    return await lent.face(signal).finally(() => lent.release());
  }

  currentFace(): { readonly face?: ServerFace | undefined } | undefined {
    return this.#plain.currentFace?.();
  }

  /** What a client says of itself is for its own connection; the plain one declared nothing that could change. */
  notify(method: string, params: Payload, caller?: Caller): void {
    if (!this.#mayLend) this.#plain.notify(method, params);
    else if (caller) this.#places?.get(caller.identity)?.notify(method, params);
  }

  status(): SourceStatus {
    const status = this.#plain.status();
    return this.#lent?.size ? { ...status, log: [...status.log, ...this.#all().flatMap((one) => one.log())] } : status;
  }

  health(): SourceHealth | undefined {
    return this.#plain.health?.();
  }

  things(): Things | undefined {
    return this.#plain.things?.();
  }

  start(): void {
    this.#plain.start?.();
  }

  /** Those that are lent are closed; their clients get others with their next request. */
  async restart(): Promise<void> {
    this.#noHandshakeUntil = Number.NEGATIVE_INFINITY;
    await Promise.all([this.#plain.restart(), ...this.#all().map((one) => one.close())]);
  }

  request(request: SourceRequest): Promise<Payload> {
    const { caller } = request;
    return caller?.canBeAsked ? this.#requestFor(request, caller) : this.#plain.request(request);
  }

  async settle(asker: Asker): Promise<void> {
    const { caller } = asker;
    if (caller?.canBeAsked) (await this.#lend(asker, caller))?.release();
  }

  hasOwn(caller: Caller): boolean {
    return this.#places?.has(caller.identity) === true;
  }

  left(caller: Caller): void {
    const lent = this.#places?.get(caller.identity);
    this.#places?.delete(caller.identity);
    lent?.left();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#plain.close(), this.#scout?.close(), ...this.#all().map((one) => one.close())]);
  }

  /**
   * Nothing was declared here, so that nothing should be asked. But some gateways say everything on all connections: where
   * one of them has a client at work that can be asked, a refusal must not come before its answer.
   */
  async #refuse(method: string): Promise<never> {
    const mayBeForAnother = this.#options.isolated !== true && this.#all().some((one) => !one.isIdle);
    if (mayBeForAnother) await new Promise<void>((resolve) => this.#options.clock.after(REFUSE_MS, resolve));
    throw nobodyToAsk(method);
  }

  async #requestFor(request: SourceRequest, caller: Caller): Promise<Payload> {
    // What it subscribed to on a connection of its own ended with that.
    const isGone = !caller.comesAgain && !this.hasOwn(caller) && !this.#isStateless();
    if (request.method === UNSUBSCRIBE && isGone) return EMPTY_OBJECT;
    const lent = await this.#lend(request, caller);
    return await (lent ? lent.request(request).finally(() => lent.release()) : this.#plain.request(request));
  }

  /** One that is ready and claimed, to be released; undefined where the client is served by the plain connection. */
  async #lend(asker: Asker, caller: Caller): Promise<LentConnection | undefined> {
    const isPlaced = this.#places?.has(caller.identity);
    if (!isPlaced && !(await this.#isToBeLent(asker, caller))) return undefined;
    while (!this.#hasRoomFor(caller)) await this.#waitForRoom(asker.signal);
    // Another request of the same client may have been quicker.
    const lent = this.#places?.get(caller.identity) ?? this.#take(asker, caller);
    lent.claim(caller);
    if (lent.isReady && this.#isProven) return lent;
    try {
      await lent.face(asker.signal);
      await this.#provePlain(lent);
      if (!this.#isSingle) return lent;
      lent.release();
      return undefined;
    } catch (cause) {
      lent.release();
      // One that lived before has something to come back for.
      if (asker.signal.aborted || lent.hasLived) throw cause;
      void lent.close();
      // What the handshake could not do, rounds of questions can.
      if (!this.#isStateless()) throw cause;
      this.#noHandshakeUntil = this.#options.clock.now() + REFUSED_MS;
      return undefined;
    }
  }

  async #isToBeLent({ method, signal }: Asker, caller: Caller): Promise<boolean> {
    if (!this.#mayLend) return false;
    const face = (this.#plain.currentFace?.() ?? { face: await this.#plain.face(signal) }).face;
    if (!face) return false;
    if (caller.comesAgain) return face.greeting !== undefined && concernsClient(method);
    return face.greeting !== undefined || this.#options.clock.now() >= this.#noHandshakeUntil;
  }

  get #mayLend(): boolean {
    return this.#options.most > 0 && !this.#isSingle;
  }

  /**
   * Some servers by URL have one place for a client, and who comes next takes it from the one before, which then hears
   * nothing any more. Such a server keeps its plain connection, and lends none. One that is silent on both is slow for a
   * moment: it is looked at again with the next request.
   */
  #provePlain(another: Pick<Source, "listTools">): Promise<void> {
    if (this.#isProven) return Promise.resolve();
    this.#provingPlain ??= this.#plainAnswers(another).then(async (answers) => {
      this.#provingPlain = undefined;
      this.#isProven = answers !== undefined;
      if (answers !== false) return;
      this.#isSingle = true;
      await Promise.all([this.#plain.restart(), ...this.#all().map((one) => one.close())]);
    });
    return this.#provingPlain;
  }

  /**
   * Whether the plain connection still answers, whatever it answers: some hang up at a word that they do not know. Undefined
   * where the other one does not answer, either.
   */
  async #plainAnswers(another: Pick<Source, "listTools">): Promise<boolean | undefined> {
    const enough = new LightAbort();
    const list = { method: "tools/list", name: "", args: EMPTY_OBJECT, params: EMPTY_OBJECT, language: "en" } as const;
    const plain = this.#plain.request({ ...list, signal: enough });
    try {
      if (await this.#endsWithin(PROOF_MS, plain)) return true;
      const either = Promise.race([plain, another.listTools(enough)]);
      if (!(await this.#endsWithin(PROOF_MS, either))) return undefined;
      return await this.#endsWithin(LATER_MS, plain);
    } finally {
      enough.abort(new ZaguanError("CANCELLED"));
    }
  }

  /** False for one that takes longer; how it ends is the same here. */
  async #endsWithin(ms: number, task: Promise<unknown>): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const stop = this.#options.clock.after(ms, () => resolve(false));
    const ends = (): void => resolve(true);
    task.then(ends, ends);
    return await promise.finally(stop);
  }

  #isStateless(): boolean {
    return this.#plain.currentFace?.()?.face?.discovery !== undefined;
  }

  /** The one that this client had before, or one that is free, or a new one. */
  #take({ principal }: Asker, caller: Caller): LentConnection {
    const key = `${principal?.id}\n${JSON.stringify(sorted(caller.capabilities.value))}`;
    const lent =
      this.#all().find((one) => caller.comesAgain && one.isIdle && one.isOf(caller)) ??
      this.#all().find((one) => one.isFree && one.key === key);
    const taken = lent ?? this.#open(key, caller);
    if (caller.comesAgain) return taken;
    this.#places ??= new Map();
    this.#places.set(caller.identity, taken);
    return taken;
  }

  #open(key: string, { capabilities }: Caller): LentConnection {
    if (this.#isClosed) throw this.#closed();
    this.#makeRoom();
    const { clock, make, onNotification } = this.#options;
    const lent: LentConnection = new LentConnection({
      clock,
      key,
      make,
      onNotification,
      client: { capabilities: capabilities.value as Declared["capabilities"], isLent: true },
      onToolsChanged: () => void this.#learn(lent),
      onIdle: () => this.#waiters.resolveAll(),
      onClosed: () => this.#forget(lent),
    });
    this.#lent ??= new Set();
    this.#lent.add(lent);
    return lent;
  }

  #hasRoomFor(caller: Caller): boolean {
    const all = this.#all();
    return all.length < this.#options.most || this.hasOwn(caller) || all.some((one) => one.isIdle);
  }

  /** All are at work: the next that has done its work, or ends, may be had. */
  async #waitForRoom(signal: CancelSignal): Promise<void> {
    const late = new LightAbort();
    const stop = this.#options.clock.after(RETRY_MS, () => late.abort(this.#isFull()));
    await this.#waiters.wait(anyOf(signal, late)).finally(stop);
  }

  /** One that nobody has gives way, else the one that was not used for the longest time; never is one shared. */
  #makeRoom(): void {
    const all = this.#all();
    if (all.length < this.#options.most) return;
    const idle = all.filter((one) => one.isIdle).sort((a, b) => a.lastUsed - b.lastUsed);
    const oldest = idle.find((one) => one.isFree) ?? idle[0];
    if (!oldest) throw this.#isFull();
    void oldest.close();
  }

  #isFull(): ZaguanError {
    const params = { source: this.name, waiting: this.#all().length, seconds: RETRY_MS / 1_000 };
    return new ZaguanError("NO_CAPACITY", { params, delivery: "not_sent", retryAfterMs: RETRY_MS });
  }

  #closed(): ZaguanError {
    const params = { source: this.name, reason: "closed" };
    return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent" });
  }

  #forget(lent: LentConnection): void {
    this.#lent?.delete(lent);
    this.#waiters.resolveAll();
    for (const [identity, place] of this.#places ?? []) if (place === lent) this.#places?.delete(identity);
    if (this.#wider.set(lent, undefined)) this.#options.onToolsChanged();
  }

  async #learn(lent: LentConnection): Promise<void> {
    const tools = await lent.listTools(new LightAbort()).catch(() => undefined);
    if (tools && this.#lent?.has(lent) && this.#wider.set(lent, tools)) this.#options.onToolsChanged();
  }

  async #lookAsAskable(named: ReadonlySet<string>): Promise<void> {
    const enough = new LightAbort();
    const stop = this.#options.clock.after(LOOK_MS, () => enough.abort(new ZaguanError("CANCELLED")));
    const scout = this.#options.make(DEAF, ASKABLE);
    this.#scout = scout;
    try {
      const tools = await scout.listTools(enough);
      if (tools.some(({ name }) => !named.has(name))) this.#wider.set(this, tools);
      await this.#provePlain(scout);
    } catch {
      // Then only what everybody may see is listed.
    } finally {
      stop();
      await scout.close();
      this.#scout = undefined;
    }
  }

  #all(): LentConnection[] {
    return this.#lent ? [...this.#lent] : [];
  }
}

/** For a connection that is only looked through. */
const DEAF: Unaddressed = {
  onRequest: (method) => Promise.reject(nobodyToAsk(method)),
  onNotification: () => {},
  onToolsChanged: () => {},
};

/** What a client without a session asks for by its own connection; all else is the same for everybody. */
function concernsClient(method: string): boolean {
  return ASKING_METHODS.has(method) || method === "tools/list";
}

/** The same capabilities are the same, however they are written. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
