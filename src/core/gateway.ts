/**
 * The hub itself, as doors see it: lists what a principal may use and carries calls through the pipeline. It knows
 * sources only by their contract, and learns their tools as they come up.
 */
import { toZaguanError, ZaguanError } from "../errors.ts";
import type { Language } from "../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../protocol/json/payload.ts";
import type { Source } from "../sources/source.ts";
import { mayUse } from "./access.ts";
import type { Call, CallRequest, PassRequest, Principal, ToolDefinition } from "./call.ts";
import type { CallCache } from "./call-cache.ts";
import { Callers } from "./callers.ts";
import { Catalogue, type CatalogueEntry } from "./catalogue.ts";
import { Discovery } from "./discovery.ts";
import { type Emit, summarize } from "./events.ts";
import type { Gateway, ListedTool, Servers } from "./gateway-contract.ts";
import { type AttachedSource, buildPipeline, type CallPolicy, type Handler } from "./pipeline.ts";
import type { Clock, Random, SchemaChecker } from "./ports.ts";
import { scopedTo } from "./scoped-gateway.ts";

export interface HubLimits {
  readonly callSeconds: number;
  readonly callSecondsMax: number;
  readonly callsPerMinute: number;
  readonly queueLength: number;
  readonly listWaitSeconds: number;
}

export interface HubPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  readonly checker: SchemaChecker;
  readonly cache: CallCache;
  limits(): HubLimits;
  /** Keeps a source's tools for the next start. */
  onListed(source: string, tools: readonly ToolDefinition[]): void;
}

export interface Attachment {
  readonly source: Source;
  readonly policy: CallPolicy;
  /** What the source offered when it was last seen; with it, nothing has to be started to list. */
  readonly known?: readonly ToolDefinition[] | undefined;
  readonly translate?: ((tool: ToolDefinition, language: Language) => ToolDefinition) | undefined;
}

/** How long changes are gathered before they are told. */
const ANNOUNCE_MS = 100;

export class Hub implements Gateway, Servers {
  readonly #ports: HubPorts;
  readonly #attached = new Map<string, Attachment>();
  readonly #catalogue: Catalogue;
  readonly #discovery: Discovery;
  readonly #run: Handler;
  readonly #listeners = new Set<() => void>();
  readonly #lists = new Map<Language, { version: number; tools: readonly ListedTool[] }>();
  readonly #hearers = new Set<(source: string, method: string, params: Payload) => void>();
  readonly #callers = new Callers();
  readonly #inFlight = new Set<AbortController>();
  /** Takes back the announcement that is due. */
  #announcing: (() => void) | undefined;
  #closed = false;
  #nextCall = 1;

  constructor(ports: HubPorts) {
    this.#ports = ports;
    this.#catalogue = new Catalogue(ports.emit);
    this.#discovery = new Discovery(ports.clock, (source, tools) => this.#learned(source, tools));
    this.#run = buildPipeline({ ...ports, limits: () => ports.limits(), attached: (name) => this.#find(name) });
  }

  attach(attachment: Attachment): void {
    const { source, known } = attachment;
    this.#attached.set(source.name, attachment);
    this.#catalogue.register(source.name);
    if (known) this.#catalogue.setTools(source.name, known);
    else void this.#discovery.discover(source, true);
    if (known) this.#announce();
  }

  /** Puts another source in the place of the one of that name: its order, which decides who keeps a name, stays. */
  async replace(name: string, attach: () => Promise<void>): Promise<void> {
    await this.detach(name, true);
    await attach();
  }

  async detach(name: string, keepPlace = false): Promise<void> {
    const attachment = this.#attached.get(name);
    this.#attached.delete(name);
    this.#discovery.forget(name);
    this.#ports.cache.drop(name);
    if (keepPlace ? this.#catalogue.setTools(name, []) : this.#catalogue.remove(name)) this.#announce();
    await attachment?.source.close();
  }

  /** Asks a source for its tools again, since it said that they changed. */
  refresh(name: string): void {
    const source = this.#attached.get(name)?.source;
    this.#ports.cache.drop(name);
    if (source) void this.#discovery.discover(source);
  }

  /** A source came (back) to life: what it offers may differ from what we knew. */
  cameUp(name: string): void {
    if (!this.#discovery.isAsking(name)) this.refresh(name);
  }

  sources(): readonly Source[] {
    return [...this.#attached.values()].map(({ source }) => source);
  }

  toolCount(source: string): number {
    return this.#catalogue.entries().filter((entry) => entry.source === source).length;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  async listTools(principal: Principal, language: Language): Promise<readonly ListedTool[]> {
    await this.#discovery.settled(this.#ports.limits().listWaitSeconds * 1_000);
    const all = this.#listIn(language);
    if (!principal.allow) return all;
    return this.#catalogue.entries().flatMap((entry, index) => {
      return mayUse(principal, entry.source, entry.tool.name) ? [all[index] as ListedTool] : [];
    });
  }

  async call(request: CallRequest): Promise<Payload> {
    const entry = this.#catalogue.find(request.tool) ?? (await this.#findLater(request.tool));
    if (!entry) throw unknownTool(request.tool);
    const { source, tool } = entry;
    const { args, meta, params } = request;
    return this.#carry({ source, method: "tools/call", name: tool.name, tool, args, meta, params }, request);
  }

  has(source: string): boolean {
    return this.#attached.has(source);
  }

  through(source: string): Gateway {
    return scopedTo(this, source);
  }

  async greeting(source: string, signal: AbortSignal): Promise<Payload | undefined> {
    return this.#attached.get(source)?.source.greeting(signal);
  }

  pass(request: PassRequest): Promise<Payload> {
    const { source, method, params } = request;
    const subject = { source, method, name: method, tool: undefined, args: EMPTY_OBJECT, meta: undefined, params };
    return this.#carry(subject, { ...request, tool: method });
  }

  onNotification(listener: (source: string, method: string, params: Payload) => void): () => void {
    this.#hearers.add(listener);
    return () => this.#hearers.delete(listener);
  }

  /** A source asks something of whoever is waiting for it. */
  asked(source: string, method: string, params: Payload): Promise<Payload> {
    const found = this.#callers.only(source);
    if (found) return found.caller.request(method, params, found.signal);
    if (method === "roots/list") return Promise.resolve(NO_ROOTS);
    const relayed = { code: -32601, message: "There is no single client to ask" };
    return Promise.reject(new ZaguanError("UNKNOWN_METHOD", { params: { method }, relayed }));
  }

  /** A source said something that belongs to no single request. */
  notified(source: string, method: string, params: Payload): void {
    for (const listener of this.#hearers) listener(source, method, params);
  }

  onToolsChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes no more calls and ends those under way: their callers are told. */
  endCalls(): void {
    this.#closed = true;
    for (const controller of this.#inFlight) controller.abort(new ZaguanError("CANCELLED"));
  }

  /** Ends what is still under way and closes every source. */
  async close(): Promise<void> {
    this.endCalls();
    await Promise.all([...this.#attached.keys()].map((name) => this.detach(name)));
    this.#announcing?.();
  }

  async #carry(subject: Subject, request: Circumstances): Promise<Payload> {
    const controller = new AbortController();
    const leave = () => controller.abort(new ZaguanError("CANCELLED"));
    if (request.signal?.aborted || this.#closed) leave();
    request.signal?.addEventListener("abort", leave);
    const call = this.#makeCall(subject, request, controller);
    const leaveSource = this.#callers.enter(subject.source, request.caller, controller.signal);
    this.#inFlight.add(controller);
    this.#ports.emit({ type: "call-started", call: summarize(call) });
    try {
      const result = await this.#run(call);
      this.#ended(call, undefined);
      return result;
    } catch (cause) {
      const error = this.#ended(call, cause);
      // In the caller's own words, so that a tool it may not use looks like one that is not there.
      throw error?.code === "UNKNOWN_TOOL" ? unknownTool(request.tool) : error;
    } finally {
      leaveSource();
      this.#inFlight.delete(controller);
      request.signal?.removeEventListener("abort", leave);
    }
  }

  #makeCall(subject: Subject, request: Circumstances, controller: AbortController): Call {
    const startedAt = this.#ports.clock.now();
    const { callSeconds, callSecondsMax } = this.#ports.limits();
    // Where a person may be asked back, the answer takes as long as a person takes.
    const usual = request.caller?.canBeAsked ? callSecondsMax : callSeconds;
    const timeoutMs = Math.min(request.timeoutMs ?? usual * 1_000, callSecondsMax * 1_000);
    return {
      id: this.#nextCall++,
      ...subject,
      principal: request.principal,
      language: request.language,
      door: request.door,
      priority: request.priority ?? "MEDIUM",
      startedAt,
      deadlineAt: startedAt + timeoutMs,
      freshness: request.freshness,
      signal: controller.signal,
      onProgress: request.onProgress,
      trace: { queuedMs: 0, attempts: 0, cached: false },
      abort: (reason) => controller.abort(reason),
    };
  }

  /** Tells the world how it ended; an unexpected failure gets a reference that the log repeats. */
  #ended(call: Call, cause: unknown): ZaguanError | undefined {
    const error = cause === undefined ? undefined : this.#named(toZaguanError(cause));
    const { attempts, cached } = call.trace;
    const ms = this.#ports.clock.now() - call.startedAt;
    this.#ports.emit({ type: "call-ended", call: summarize(call), ms, attempts, cached, error: error?.code });
    return error;
  }

  #named(error: ZaguanError): ZaguanError {
    if (error.code !== "INTERNAL" || error.details.params) return error;
    const reference = Math.floor(this.#ports.random() * 0xffff_ffff).toString(36);
    this.#ports.emit({ type: "internal-error", reference, cause: error.cause });
    return new ZaguanError("INTERNAL", { ...error.details, params: { reference } });
  }

  #find(name: string): AttachedSource | undefined {
    return this.#attached.get(name);
  }

  /** A tool that is not known yet may belong to a source that is still coming up. */
  async #findLater(tool: string): Promise<CatalogueEntry | undefined> {
    await this.#discovery.settled(this.#ports.limits().listWaitSeconds * 1_000);
    return this.#catalogue.find(tool);
  }

  #listIn(language: Language): readonly ListedTool[] {
    const { version } = this.#catalogue;
    const kept = this.#lists.get(language);
    if (kept?.version === version) return kept.tools;
    const tools = this.#catalogue.entries().map((entry) => this.#listed(entry, language));
    this.#lists.set(language, { version, tools });
    return tools;
  }

  #listed(entry: CatalogueEntry, language: Language): ListedTool {
    const { source, publicName, tool } = entry;
    const spoken = this.#attached.get(source)?.translate?.(tool, language) ?? tool;
    return { source, definition: spoken.name === publicName ? spoken : { ...spoken, name: publicName } };
  }

  #learned(source: Source, tools: readonly ToolDefinition[]): void {
    if (this.#attached.get(source.name)?.source !== source) return;
    if (!this.#catalogue.setTools(source.name, tools)) return;
    this.#ports.cache.drop(source.name);
    this.#ports.onListed(source.name, tools);
    this.#ports.emit({ type: "tools-changed", source: source.name, count: tools.length });
    this.#announce();
  }

  /** A burst (many sources coming up) is told once. */
  #announce(): void {
    this.#announcing ??= this.#ports.clock.after(ANNOUNCE_MS, () => {
      this.#announcing = undefined;
      for (const listener of this.#listeners) listener();
    });
  }
}

const NO_ROOTS: Payload = Payload.ofText('{"roots":[]}');

/** What is asked of whom. */
type Subject = Pick<Call, "source" | "method" | "name" | "tool" | "args" | "meta" | "params">;
/** Who asks, and how. */
type Circumstances = Omit<CallRequest, "args" | "meta" | "params">;

function unknownTool(tool: string): ZaguanError {
  return new ZaguanError("UNKNOWN_TOOL", { params: { tool: tool.slice(0, 200) }, delivery: "not_sent" });
}
