/**
 * A source that asks things of its client (sampling, elicitation, roots) without saying in whose call can only be understood
 * if one client uses the connection; and what it was told by one must not be shown to another. Once a source has
 * shown that it asks, every client that can be asked and comes from then on has a connection of its own, as it would
 * have without us: one with a session for as long as it stays; one without for each call, and again if it seems to be the
 * same client. All others share the first.
 */
import type { Caller, ToolDefinition } from "../core/call.ts";
import type { Payload } from "../protocol/json/payload.ts";
import type { ServerFace } from "../protocol/mcp/face.ts";
import { ASKING_METHODS } from "../protocol/mcp/input-required.ts";
import type { StopSignal } from "../stop.ts";
import { OwnConnection, type OwnConnectionOptions, type Unaddressed } from "./own-connection.ts";
import type { Source, SourceHealth, SourceRequest, SourceStatus, Things } from "./source.ts";

const MOST = 16;
const REFUSE_MS = 10_000;
const SUBSCRIBING: ReadonlySet<string> = new Set(["resources/subscribe", "resources/unsubscribe"]);

export class OwnConnections implements Source {
  readonly #options: OwnConnectionOptions;
  readonly #shared: Source;
  /** Made with the first: most sources never ask. */
  #own: Set<OwnConnection> | undefined;
  /** Clients with a session stay where they began, with all that they did there. */
  #places: Map<Caller, OwnConnection | undefined> | undefined;
  #asks = false;

  constructor(options: OwnConnectionOptions) {
    this.#options = options;
    const heard: Unaddressed = {
      onNotification: (method, params) => options.shared.onNotification(method, params),
      onRequest: (method, params, signal) => {
        this.#asks = true;
        return options.shared.onRequest(method, params, signal).catch((refusal) => this.#refuseLater(refusal));
      },
    };
    this.#shared = options.make(heard, true);
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

  listTools(signal: StopSignal): Promise<readonly ToolDefinition[]> {
    return this.#shared.listTools(signal);
  }

  face(signal: StopSignal): Promise<ServerFace | undefined> {
    return this.#shared.face(signal);
  }

  currentFace(): { readonly face?: ServerFace | undefined } | undefined {
    return this.#shared.currentFace?.();
  }

  notify(method: string, params: Payload, caller?: Caller): void {
    const own = caller && this.#places?.get(caller);
    if (own) own.notify(method, params);
    else this.#shared.notify(method, params);
  }

  status(): SourceStatus {
    return this.#shared.status();
  }

  health(): SourceHealth | undefined {
    return this.#shared.health?.();
  }

  things(): Things | undefined {
    return this.#shared.things?.();
  }

  start(): void {
    this.#shared.start?.();
  }

  /** Those of clients too; they go on where they were, with a source that has forgotten them. */
  async restart(): Promise<void> {
    await Promise.all([
      this.#shared.restart(),
      ...this.#all().map((own) => (own.isIdle ? own.close() : own.restart())),
    ]);
  }

  request(request: SourceRequest): Promise<Payload> {
    const { caller } = request;
    const own = caller?.canBeAsked ? this.#ownOf(caller, request.method) : undefined;
    return own ? own.request(request, caller as Caller) : this.#shared.request(request);
  }

  hasOwn(caller: Caller): boolean {
    return this.#places?.get(caller) !== undefined || this.#all().some((own) => own.isOf(caller));
  }

  left(caller: Caller): void {
    const own = this.#places?.get(caller);
    this.#places?.delete(caller);
    void own?.close();
  }

  async close(): Promise<void> {
    await Promise.all([this.#shared.close(), ...this.#all().map((own) => own.close())]);
  }

  #ownOf(caller: Caller, method: string): OwnConnection | undefined {
    if (caller.comesAgain) return this.#asks ? this.#ownForOne(caller, method) : undefined;
    this.#places ??= new Map();
    if (!this.#places.has(caller)) this.#places.set(caller, this.#asks ? this.#find(caller) : undefined);
    return this.#places.get(caller);
  }

  /** A call may be asked about, so that it is alone; what is subscribed to changes where the calls go. */
  #ownForOne(caller: Caller, method: string): OwnConnection | undefined {
    if (ASKING_METHODS.has(method)) return this.#find(caller);
    if (!SUBSCRIBING.has(method)) return undefined;
    return this.#all().find((own) => own.isOf(caller)) ?? this.#find(caller);
  }

  /** One that this client had before, or a new one; undefined if there are enough. */
  #find(caller: Caller): OwnConnection | undefined {
    const all = this.#all();
    const found = all.find((own) => own.fits(caller));
    if (found || all.length < MOST) return found ?? this.#open();
    // One that remembers somebody who has gone gives way.
    const idle = all.find((own) => own.isIdle);
    if (!idle) return undefined;
    void idle.close();
    return this.#open();
  }

  /** Some gateways say everything on all connections: where one of them has somebody to ask, a refusal must not come first. */
  async #refuseLater(refusal: unknown): Promise<never> {
    if (this.#own?.size) await new Promise<void>((resolve) => this.#options.clock.after(REFUSE_MS, resolve));
    throw refusal;
  }

  #open(): OwnConnection {
    const own: OwnConnection = new OwnConnection(this.#options, () => this.#forget(own));
    this.#own ??= new Set();
    this.#own.add(own);
    return own;
  }

  #all(): OwnConnection[] {
    return this.#own ? [...this.#own] : [];
  }

  #forget(own: OwnConnection): void {
    this.#own?.delete(own);
  }
}
