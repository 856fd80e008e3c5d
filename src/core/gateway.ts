/**
 * The hub itself, as doors see it: lists what a principal may use and carries calls through the pipeline. It knows
 * sources only by their contract, and learns their tools as they come up.
 */
import { toZaguanError, ZaguanError } from "../errors.ts";
import type { Language } from "../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../protocol/json/payload.ts";
import { withMember } from "../protocol/json/surgery.ts";
import type { ServerFace } from "../protocol/mcp/face.ts";
import type { Source } from "../sources/source.ts";
import { mayUse } from "./access.ts";
import type { Call, Caller, CallRequest, NotificationSink, PassRequest, Principal, ToolDefinition } from "./call.ts";
import type { CallCache } from "./call-cache.ts";
import { Callers, EVERYWHERE } from "./callers.ts";
import { Catalogue, type CatalogueEntry } from "./catalogue.ts";
import { Discovery } from "./discovery.ts";
import { type Emit, summarize } from "./events.ts";
import type { Gateway, ListedTool, Servers } from "./gateway-contract.ts";
import { type OfferKind, Offers, type SourceOffers } from "./offers.ts";
import { type AttachedSource, buildPipeline, type CallPolicy, type Handler } from "./pipeline.ts";
import type { Clock, Random, SchemaChecker } from "./ports.ts";
import { scopedTo } from "./scoped-gateway.ts";
import { Subscriptions } from "./subscriptions.ts";

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
  /** Keeps what a source offers for the next start. */
  onListed(source: string, offers: KnownOffers): void;
}

export interface Attachment {
  readonly source: Source;
  readonly policy: CallPolicy;
  /** What the source offered when it was last seen; with it, nothing has to be started to list. */
  readonly known?: KnownOffers | undefined;
  readonly translate?: ((tool: ToolDefinition, language: Language) => ToolDefinition) | undefined;
}

/** Everything that a source offered. */
export interface KnownOffers {
  readonly tools: readonly ToolDefinition[];
  readonly offers: SourceOffers;
}

/** How long changes are gathered before they are told. */
const ANNOUNCE_MS = 100;

export class Hub implements Gateway, Servers {
  readonly #ports: HubPorts;
  readonly #attached = new Map<string, Attachment>();
  readonly #catalogue: Catalogue;
  /** What sources offer beside tools. */
  readonly offers: Offers;
  readonly #discovery: Discovery;
  readonly #run: Handler;
  readonly #listeners = new Set<() => void>();
  readonly #lists = new Map<Language, { version: number; tools: readonly ListedTool[] }>();
  readonly #hearers = new Set<(source: string, method: string, params: Payload) => void>();
  readonly #callers: Callers;
  readonly #subscriptions = new Subscriptions();
  readonly #inFlight = new Set<AbortController>();
  /** Which lists changed since the last announcement. */
  readonly #changed = new Set<"tools" | OfferKind>();
  /** Takes back the announcement that is due. */
  #announcing: (() => void) | undefined;
  #closed = false;
  #nextCall = 1;

  constructor(ports: HubPorts) {
    this.#ports = ports;
    this.#callers = new Callers(() => ports.clock.now());
    this.#catalogue = new Catalogue(ports.emit);
    this.#discovery = new Discovery(ports.clock, {
      onTools: (source, tools) => this.#learned(source, tools),
      onOffers: (source, offers) => this.#learnedOffers(source, offers),
    });
    this.offers = new Offers({
      emit: ports.emit,
      settled: () => this.#settled(),
      hasOwn: (source, caller) => this.#hasOwn({ source, caller }),
      join: (caller, principal) => this.join(EVERYWHERE, caller, principal),
      pass: (request) => this.pass(request),
      subscribe: (request, uri) => this.subscribe(request, uri),
      unsubscribe: (request, uri) => this.unsubscribe(request, uri),
    });
    this.#run = buildPipeline({ ...ports, limits: () => ports.limits(), attached: (name) => this.#find(name) });
  }

  attach(attachment: Attachment): void {
    const { source, known } = attachment;
    this.#attached.set(source.name, attachment);
    this.#catalogue.register(source.name);
    this.offers.register(source.name);
    this.#resubscribe(source.name);
    if (!known) return void this.#discovery.discover(source, true);
    this.#catalogue.setTools(source.name, known.tools);
    this.#announce("tools", ...this.offers.set(source.name, known.offers));
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
    if (keepPlace ? this.#catalogue.setTools(name, []) : this.#catalogue.remove(name)) this.#announce("tools");
    this.#announce(...(keepPlace ? this.offers.set(name, {}) : this.offers.remove(name)));
    await attachment?.source.close();
  }

  /** Asks a source for its tools again, since it said that they changed. */
  refresh(name: string): void {
    const source = this.#attached.get(name)?.source;
    this.#ports.cache.drop(name);
    if (source) void this.#discovery.discover(source);
  }

  /**
   * A source came (back) to life. What it offers may differ from what we knew; after a restart its supervisor says so by
   * itself, but nobody else tells it again who listens.
   */
  cameUp(name: string, again = false): void {
    if (again) this.#resubscribe(name);
    else if (!this.#discovery.isAsking(name)) this.refresh(name);
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
    await this.#settled();
    const all = this.#listIn(language);
    if (!principal.allow) return all;
    return this.#catalogue.entries().flatMap((entry, index) => {
      return mayUse(principal, entry.source, entry.tool.name) ? [all[index] as ListedTool] : [];
    });
  }

  findTool(principal: Principal, name: string): ToolDefinition | undefined {
    const entry = this.#catalogue.find(name);
    return entry && mayUse(principal, entry.source, entry.tool.name) ? entry.tool : undefined;
  }

  async call(request: CallRequest): Promise<Payload> {
    const entry = this.#catalogue.find(request.tool) ?? (await this.#findLater(request.tool));
    if (!entry) throw unknownTool(request.tool);
    const { source, tool } = entry;
    const { args, meta } = request;
    const params = request.params && withName(request.params, request.tool, tool.name);
    const subject = { source, method: "tools/call", name: tool.name, tool, args, meta, params };
    const result = await this.#carry({ ...subject, unchecked: request.unchecked ?? false }, request);
    const taskId = taskIn(result);
    if (taskId !== undefined) this.offers.begun(source, request.principal, taskId);
    return result;
  }

  has(source: string): boolean {
    return this.#attached.has(source);
  }

  through(source: string): Gateway {
    return scopedTo(this, source);
  }

  /** What a principal may not use at all does not exist for it. */
  isReachable(source: string, principal: Principal): boolean {
    const attachment = this.#attached.get(source);
    if (!attachment || !principal.allow) return attachment !== undefined;
    return this.#catalogue.toolsOf(source).some(({ name }) => mayUse(principal, source, name));
  }

  /** Bounded like a call: a source that never becomes ready must not keep anybody waiting for ever. */
  async face(source: string, signal: AbortSignal): Promise<ServerFace | undefined> {
    const current = this.#attached.get(source)?.source.currentFace?.();
    if (current) return current.face;
    const over = new AbortController();
    const late = new ZaguanError("DEADLINE_EXCEEDED", { params: { source }, delivery: "not_sent" });
    const stop = this.#ports.clock.after(this.#ports.limits().callSeconds * 1_000, () => over.abort(late));
    try {
      return await this.#attached.get(source)?.source.face(AbortSignal.any([signal, over.signal]));
    } finally {
      stop();
    }
  }

  /** Who may not use everything is not asked on behalf of those who may. */
  join(source: string, caller: Caller, principal: Principal): () => void {
    const leave = principal.allow ? undefined : this.#callers.join(source, caller, principal.id);
    return () => {
      leave?.();
      const left = source === EVERYWHERE ? this.sources() : [this.#attached.get(source)?.source];
      for (const one of left) one?.left?.(caller);
    };
  }

  /** Only what a source may have to know; and only of those who may use all of it. */
  tell(source: string, method: string, params: Payload, principal: Principal, caller?: Caller): void {
    if (principal.allow || !OF_CLIENTS.has(method)) return;
    this.#attached.get(source)?.source.notify(method, params, caller);
  }

  /** Counts from the beginning: another client's leaving must not take away what the source is just giving. */
  async subscribe(request: PassRequest, uri: string): Promise<Payload> {
    if (this.#hasOwn(request)) return this.pass(request);
    this.#subscriptions.add(request.source, uri);
    try {
      return await this.pass(request);
    } catch (cause) {
      const isLast = this.#subscriptions.drop(request.source, uri);
      const { code, delivery } = toZaguanError(cause);
      // It may have been heard although nobody waited for the answer: then the source would tell for ever.
      if (isLast && code !== "SOURCE_ERROR" && delivery !== "not_sent") this.#forget(request, uri);
      throw cause;
    }
  }

  /** As long as another client listens, the source must go on telling. */
  unsubscribe(request: PassRequest, uri: string): Promise<Payload> {
    const isLast = this.#hasOwn(request) || this.#subscriptions.drop(request.source, uri);
    return isLast ? this.pass(request) : Promise.resolve(EMPTY_OBJECT);
  }

  async pass(request: PassRequest): Promise<Payload> {
    const { source, method, params, principal } = request;
    if (!method.startsWith("tasks/")) return this.#pass(request);
    const taskId = (params.value as { taskId?: unknown } | null)?.taskId;
    if (this.offers.isOthersTask(source, principal, taskId)) throw noSuchTask(taskId);
    const result = await this.#pass(request);
    return method === "tasks/list" ? this.offers.withoutOthersTasks(source, principal, result) : result;
  }

  #pass(request: PassRequest): Promise<Payload> {
    const { source, method, params } = request;
    const what = { source, method, name: method, params, unchecked: true };
    const subject = { ...what, tool: undefined, args: EMPTY_OBJECT, meta: undefined };
    return this.#carry(subject, { ...request, tool: method });
  }

  onNotification(listener: (source: string, method: string, params: Payload) => void): () => void {
    this.#hearers.add(listener);
    return () => this.#hearers.delete(listener);
  }

  /** A source asks something without saying on whose behalf: of whoever is waiting for it. */
  asked(source: string, method: string, params: Payload, wanted?: AbortSignal): Promise<Payload> {
    const found = this.#callers.only(source, (caller) => !this.#hasOwn({ source, caller }));
    if (found) {
      const signal = wanted ? AbortSignal.any([found.signal, wanted]) : found.signal;
      return found.caller.request(method, params, signal);
    }
    if (method === "roots/list") return Promise.resolve(NO_ROOTS);
    const relayed = { code: -32601, message: "There is no single client to ask" };
    return Promise.reject(new ZaguanError("UNKNOWN_METHOD", { params: { method }, relayed }));
  }

  /**
   * A source said something without saying on whose behalf. Its log goes to whoever is waiting for it, if that is one;
   * what is no change of something that all may see concerns nobody, unless all its clients are one principal's.
   */
  notified(source: string, method: string, params: Payload): void {
    if (method === LOG_MESSAGE && this.#callers.tellWaiting(source, method, params)) return;
    if (OTHER_LISTS.has(method)) this.refresh(source);
    const isListChange = method.endsWith("/list_changed");
    const isUpdate = method === "notifications/resources/updated";
    if (!isListChange && !isUpdate && !this.#callers.isOnePrincipals(source)) return;
    if (!isListChange) this.offers.tell(method, params);
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
    const { caller, principal } = request;
    const { signal } = controller;
    const mayAsk = MAY_ASK.has(subject.method);
    const waiting = { caller, principalId: principal.id, signal, mayAsk, onNotification: call.onNotification };
    const leaveSource = this.#callers.enter(subject.source, waiting);
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
      onNotification: wanted(request),
      caller: request.caller,
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

  /** A source that was started anew has forgotten who listens, and one in the place of another never knew. */
  #resubscribe(name: string): void {
    const source = this.#attached.get(name)?.source;
    for (const uri of this.#subscriptions.of(name)) {
      const params = Payload.ofValue({ uri });
      const method = "resources/subscribe";
      const { signal } = new AbortController();
      source?.request({ method, name: method, args: params, params, language: "en", signal }).catch(() => {});
    }
  }

  /** Such a client subscribes for itself alone. */
  #hasOwn({ source, caller }: Pick<PassRequest, "source" | "caller">): boolean {
    return caller !== undefined && this.#attached.get(source)?.source.hasOwn?.(caller) === true;
  }

  #forget({ source, principal, language, door }: PassRequest, uri: string): void {
    const params = Payload.ofValue({ uri });
    const request = { source, method: "resources/unsubscribe", params, principal, language, door };
    this.pass(request).catch(() => {});
  }

  #find(name: string): AttachedSource | undefined {
    return this.#attached.get(name);
  }

  #settled(): Promise<void> {
    return this.#discovery.settled(this.#ports.limits().listWaitSeconds * 1_000);
  }

  /** A tool that is not known yet may belong to a source that is still coming up. */
  async #findLater(tool: string): Promise<CatalogueEntry | undefined> {
    await this.#settled();
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
    this.#ports.emit({ type: "tools-changed", source: source.name, count: tools.length });
    this.#announce("tools");
  }

  /** Comes after the tools of the same asking, so that both are kept together. */
  #learnedOffers(source: Source, offers: SourceOffers): void {
    if (this.#attached.get(source.name)?.source !== source) return;
    this.#announce(...this.offers.set(source.name, offers));
    this.#ports.onListed(source.name, { tools: this.#catalogue.toolsOf(source.name), offers });
  }

  /** A burst (many sources coming up) is told once. */
  #announce(...kinds: readonly ("tools" | OfferKind)[]): void {
    for (const kind of kinds) this.#changed.add(kind);
    if (kinds.length === 0) return;
    this.#announcing ??= this.#ports.clock.after(ANNOUNCE_MS, () => {
      this.#announcing = undefined;
      const changed = [...this.#changed];
      this.#changed.clear();
      if (changed.includes("tools")) for (const listener of this.#listeners) listener();
      this.offers.announce(changed.filter((kind) => kind !== "tools"));
    });
  }
}

/** In the middle of these a source may ask something. */
const MAY_ASK: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);
/** What clients say and nobody answers. */
const OF_CLIENTS: ReadonlySet<string> = new Set(["notifications/roots/list_changed", "notifications/progress"]);
const OTHER_LISTS: ReadonlySet<string> = new Set([
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
]);
const LOG_MESSAGE = "notifications/message";
const NO_ROOTS: Payload = Payload.ofText('{"roots":[]}');

/** As the revisions with a handshake announce it. */
interface Task {
  readonly taskId?: unknown;
}

/** What is asked of whom. */
type Subject = Pick<Call, "source" | "method" | "name" | "tool" | "args" | "meta" | "params" | "unchecked">;
/** Who asks, and how. */
type Circumstances = Omit<CallRequest, "args" | "meta" | "params" | "unchecked">;

/** Log messages that the caller did not ask for are kept from it. */
function wanted({ caller, onNotification }: Circumstances): NotificationSink | undefined {
  if (!onNotification || !caller) return onNotification;
  return (method, params) => {
    const isLog = method === LOG_MESSAGE;
    if (!isLog || caller.wantsLog((params.value as { level?: unknown } | null)?.level)) onNotification(method, params);
  };
}

/** The caller's params, but for the name, which is the source's own. */
function withName(params: Payload, called: string, name: string): Payload {
  return called === name ? params : Payload.ofText(withMember(params.text, "name", JSON.stringify(name)));
}

/** The id of the task that a source has begun instead of answering. */
function taskIn(result: Payload): string | undefined {
  if (!result.text.includes('"taskId"')) return undefined;
  const { resultType, taskId, task } = (result.value ?? {}) as { resultType?: unknown; taskId?: unknown; task?: Task };
  const id = resultType === "task" ? taskId : task?.taskId;
  return typeof id === "string" ? id : undefined;
}

function noSuchTask(taskId: unknown): ZaguanError {
  const reason = `there is no task ${JSON.stringify(taskId ?? null).slice(0, 200)}`;
  return new ZaguanError("INVALID_PARAMS", { params: { reason }, delivery: "not_sent" });
}

function unknownTool(tool: string): ZaguanError {
  return new ZaguanError("UNKNOWN_TOOL", { params: { tool: tool.slice(0, 200) }, delivery: "not_sent" });
}
