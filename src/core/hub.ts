/**
 * The hub itself, as doors see it: lists what a principal may use and carries calls through the pipeline. It knows
 * sources only by their contract, and learns their tools as they come up.
 */
import type { Limits } from "../contract/limits.ts";
import { toZaguanError, ZaguanError } from "../errors.ts";
import { anyOf, type CancelSignal, LightAbort } from "../light-abort.ts";
import type { Language } from "../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../protocol/json/payload.ts";
import { withMember } from "../protocol/json/text-edit.ts";
import type { ServerFace } from "../protocol/mcp/face.ts";
import type { Source } from "../sources/source.ts";
import { isLimited, mayName, mayUse } from "./access.ts";
import type { Call, Caller, CallRequest, PassRequest, Principal, ServedRequest, ToolDefinition } from "./call.ts";
import { CallRunner, type Subject, unknownTool } from "./call-runner.ts";
import { Callers, EVERYWHERE } from "./callers.ts";
import { Catalogue, type CatalogueEntry, type NameClash } from "./catalogue.ts";
import { Discovery } from "./discovery.ts";
import type { Emit } from "./events.ts";
import type { FaceAsker, Gateway, ListedTool, Servers } from "./gateway.ts";
import { linkedCall, linkedTool, withoutLookalikes } from "./links.ts";
import { ListChanges } from "./list-changes.ts";
import { type OfferKind, Offers, type SourceOffers } from "./offers.ts";
import { buildPipeline, type CallPolicy, type Handler, LAST_STEPS, type PipelineContext } from "./pipeline.ts";
import type { Clock, Random, SchemaChecker } from "./ports.ts";
import { scopedTo } from "./scoped-gateway.ts";
import type { AnswerCache } from "./shared/answer-cache.ts";
import type { Rates } from "./shared/rates.ts";
import { type QueueView, SourceQueues } from "./source-queue.ts";
import { Subscriptions } from "./subscriptions.ts";
import { unfitness } from "./unfit-tools.ts";

interface HubPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  readonly checker: SchemaChecker;
  readonly cache: AnswerCache;
  readonly rates: Rates;
  limits(): Limits;
  /** Keeps what a source offers for the next start. */
  onListed(source: string, offers: KnownOffers): void;
}

export interface Attachment {
  readonly source: Source;
  readonly policy: CallPolicy;
  /** What the source offered when it was last seen; with it, nothing has to be started to list. */
  readonly known?: KnownOffers | undefined;
  readonly translate?: ((tool: ToolDefinition, language: Language) => ToolDefinition) | undefined;
  /** Reads arguments as callers of this source write them, where its schemas do not know these ways. */
  readonly normalizeArguments?: ((tool: string, args: Payload) => Payload) | undefined;
}

/** Everything that a source offered. */
export interface KnownOffers {
  readonly tools: readonly ToolDefinition[];
  readonly offers: SourceOffers;
  /** Tools that it lists and that nobody is offered. */
  readonly unfit?: readonly ToolDefinition[] | undefined;
}

/** Characters of a tool's name that nobody offers: whoever calls writes what it likes. */
const LONGEST_UNKNOWN = 200;
/** So many tools that are left out are told at once; the rest are in the registry. */
const MOST_TOLD = 20;
/** How long calls that run at a source are waited for before it moves to another node; then they are cut. */
const MOVE_MS = 60_000;
/** How long changes are gathered before they are told. */
const ANNOUNCE_MS = 100;

export class Hub implements Gateway, Servers {
  readonly #ports: HubPorts;
  readonly #attached = new Map<string, Attachment>();
  readonly #catalogue: Catalogue;
  /** What sources offer beside tools. */
  readonly offers: Offers;
  readonly #discovery: Discovery;
  readonly #runner: CallRunner;
  readonly #queues = new SourceQueues();
  readonly #context: PipelineContext;
  readonly #serve: Handler;
  readonly #listeners = new Set<() => void>();
  readonly #lists = new Map<Language, { version: number; tools: readonly ListedTool[] }>();
  readonly #hearers = new Set<(source: string, method: string, params: Payload) => void>();
  readonly #callers = new Callers();
  readonly #subscriptions = new Subscriptions();
  /** By source: tools that are not offered to anybody. */
  readonly #unfit = new Map<string, readonly ToolDefinition[]>();
  readonly #listChanges: ListChanges;
  /** What was last said of a source that did not list its tools. */
  readonly #unlisted = new Map<string, string>();
  /** Which lists changed since the last announcement. */
  readonly #changed = new Set<"tools" | OfferKind>();
  /** Takes back the announcement that is due. */
  #announcing: (() => void) | undefined;

  constructor(ports: HubPorts) {
    this.#ports = ports;
    const isSettled = (): boolean => this.#discovery.isSettled;
    this.#catalogue = new Catalogue(ports.emit, isSettled);
    this.#listChanges = new ListChanges(ports.clock, (...change) => this.#hear(...change));
    this.#discovery = new Discovery(ports.clock, {
      onTools: (source, tools) => this.#learned(source, tools),
      onOffers: (source, offers) => this.#learnedOffers(source, offers),
      onFailed: (source, error) => this.#notListed(source.name, error),
    });
    this.offers = new Offers({
      emit: ports.emit,
      isSettled,
      settled: () => this.#settled(),
      hasOwn: (source, caller) => this.#hasOwn({ source, caller }),
      join: (caller, principal) => this.join(EVERYWHERE, caller, principal),
      pass: (request) => this.pass(request),
      subscribe: (request, uri) => this.subscribe(request, uri),
      unsubscribe: (request, uri) => this.unsubscribe(request, uri),
    });
    const attached = (name: string) => this.#attached.get(name);
    this.#context = { ...ports, limits: () => ports.limits(), attached, queues: this.#queues };
    this.#serve = buildPipeline(this.#context, LAST_STEPS);
    this.#runner = new CallRunner(ports, this.#callers, buildPipeline(this.#context));
  }

  attach(attachment: Attachment): void {
    const { source, known } = attachment;
    // The source has moved to another node, or to this one: the question to its old place is dropped.
    if (this.#attached.has(source.name)) this.#discovery.forget(source.name);
    this.#attached.set(source.name, attachment);
    this.#catalogue.register(source.name);
    this.offers.register(source.name);
    this.#resubscribe(source.name);
    if (!known) return void this.#discovery.discover(source, !this.#catalogue.hasListed(source.name));
    this.#catalogue.setTools(source.name, known.tools);
    this.#announce("tools", ...this.offers.set(source.name, known.offers));
  }

  /** Puts another source in the place of the one of that name: its order, which decides who keeps a name, stays. */
  async replace(name: string, attach: () => Promise<void>): Promise<void> {
    await this.detach(name, "replaced");
    await attach();
  }

  /**
   * Runs `attach`, which puts the same source in its own place: another node of the cluster holds it from now on, or this one. All
   * that is known of it stays, calls that wait for it go the new way, and those that run are waited for, unless the source is lost:
   * then another node may have it soon.
   */
  async move(name: string, attach: () => Promise<void>, isLost = false): Promise<void> {
    const before = this.#attached.get(name)?.source;
    try {
      await attach();
    } finally {
      // Whatever became of its new place: another node takes it when we say that nothing of it is left here.
      if (before) await this.#leave(before, isLost ? 0 : MOVE_MS);
    }
  }

  async #leave(source: Source, patienceMs: number): Promise<void> {
    await this.#queues.idle(source, patienceMs);
    this.#queues.forget(source);
    await source.close();
  }

  async detach(name: string, why: "removed" | "replaced" | "away" = "removed"): Promise<void> {
    const attachment = this.#attached.get(name);
    this.#attached.delete(name);
    if (attachment) this.#queues.forget(attachment.source);
    this.#discovery.forget(name);
    this.#ports.cache.drop(name);
    this.#callers.forget(name);
    this.#unfit.delete(name);
    this.#unlisted.delete(name);
    this.#listChanges.forget(name);
    const isReplaced = why === "replaced";
    const isAway = why === "away";
    if (isReplaced ? this.#catalogue.setTools(name, []) : this.#catalogue.remove(name, isAway)) this.#announce("tools");
    this.#announce(...(isReplaced ? this.offers.set(name, {}) : this.offers.remove(name, isAway)));
    await attachment?.source.close();
  }

  /** Ends a source's life and begins it anew; its place and what is known of it stay. */
  async restart(name: string): Promise<void> {
    const source = this.#attached.get(name)?.source;
    const params = { source: name, reason: "it is not attached" };
    if (!source) throw new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent" });
    await source.restart();
  }

  /** What a source offers was found out otherwise; it is believed until the source itself says something else. */
  learned(name: string, tools: readonly ToolDefinition[]): void {
    const source = this.#attached.get(name)?.source;
    if (source) this.#learned(source, tools);
  }

  /** What somebody may use has changed, though no source has. */
  announceTools(): void {
    this.#announce("tools");
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
    const source = this.#attached.get(name)?.source;
    if (source) this.#queues.revived(source);
    if (again) this.#resubscribe(name);
    else if (!this.#discovery.isAsking(name)) this.refresh(name);
  }

  sources(): readonly Source[] {
    return [...this.#attached.values()].map(({ source }) => source);
  }

  toolCount(source: string): number {
    return this.#catalogue.toolsOf(source).length;
  }

  queue(): QueueView {
    return this.#queues.view();
  }

  get inFlight(): number {
    return this.#runner.inFlight;
  }

  running(): readonly Call[] {
    return this.#runner.running();
  }

  cancel(id: number): boolean {
    return this.#runner.cancel(id);
  }

  async listTools(principal: Principal, language: Language): Promise<readonly ListedTool[]> {
    await this.#settled();
    const all = this.#listIn(language);
    if (!isLimited(principal)) return all;
    const here = this.#catalogue.entries().map((entry, index) => ({ entry, ...(all[index] as ListedTool) }));
    const away = this.#away(principal).map((entry) => ({ entry, ...this.#listed(entry, language) }));
    return [...here, ...away].flatMap(({ entry, source, definition }) => {
      const { name } = entry.tool;
      if (!mayUse(principal, source, name)) return [];
      const link = principal.links?.find(source, name);
      return [{ source, definition: link ? linkedTool(definition, link) : definition }];
    });
  }

  /** What an agent is linked to and nobody lists at the moment: it is told that its source is away, not that it is unknown. */
  #away(principal: Principal): readonly CatalogueEntry[] {
    const linked = [...(principal.links?.all?.() ?? [])].filter(({ source }) => !this.#catalogue.hasListed(source));
    return linked.map(({ source, tool }) => {
      return { source, tool, publicName: this.#catalogue.nameWhileAway(source, tool.name) };
    });
  }

  #findAway(principal: Principal, name: string): CatalogueEntry | undefined {
    const isMeant = ({ source, tool, publicName }: CatalogueEntry): boolean =>
      publicName === name || `${source}__${tool.name}` === name;
    return this.#away(principal).find(isMeant);
  }

  findTool(principal: Principal, name: string): ToolDefinition | undefined {
    const entry = usable(this.#catalogue.find(name) ?? this.#findAway(principal, name), principal);
    if (!entry) return undefined;
    const link = principal.links?.find(entry.source, entry.tool.name);
    return link ? linkedTool(entry.tool, link) : entry.tool;
  }

  call(request: CallRequest): Promise<Payload> {
    const known = this.#catalogue.called(request.tool) ?? this.#findAway(request.principal, request.tool);
    const entry = usable(known ?? unlisted(request), request.principal);
    return entry ? this.#call(entry, request) : this.#callLater(request);
  }

  /**
   * Runs a call that another node has forwarded; the steps before the queue have run there. `reserved` is called when the queue
   * reaches the call, and resolves when it may run.
   */
  serve(request: ServedRequest, reserved: () => Promise<void>): Promise<Payload> {
    const { source, method, name, args, meta, params } = request;
    const tool = method === "tools/call" ? this.#catalogue.toolsOf(source).find((one) => one.name === name) : undefined;
    const subject = { source, method, name, tool, args, meta, params, unchecked: true };
    return this.#runner.serve(subject, { ...request, tool: name }, (call) => {
      const attached = this.#attached.get(source)?.source;
      if (!attached || attached.isElsewhere) throw goneFromHere(source);
      const queue = this.#queues.of(attached, this.#context);
      return queue.take(call, async (one) => {
        await reserved();
        return await this.#serve(one);
      });
    });
  }

  /** Lists the tools of a source that this node holds, for another node. */
  async toolsOf(source: string, signal: CancelSignal): Promise<readonly ToolDefinition[]> {
    const attached = this.#attached.get(source)?.source;
    if (!attached || attached.isElsewhere) throw goneFromHere(source);
    return await attached.listTools(signal);
  }

  has(source: string): boolean {
    return this.#attached.has(source);
  }

  through(source: string): Gateway {
    return scopedTo(this, source);
  }

  clashes(): readonly NameClash[] {
    return this.#catalogue.clashes();
  }

  renamed(source: string, tool: string): string | undefined {
    return this.#catalogue.renamed(source, tool);
  }

  named(name: string): { readonly source: string; readonly tool: string } | undefined {
    const entry = this.#catalogue.find(name);
    return entry && { source: entry.source, tool: entry.tool.name };
  }

  namesVersion(): number {
    return this.#catalogue.version;
  }

  /** What a principal may not use at all does not exist for it. */
  isReachable(source: string, principal: Principal): boolean {
    const attachment = this.#attached.get(source);
    if (!attachment || !isLimited(principal)) return attachment !== undefined;
    return (
      mayName(principal, source) || this.#catalogue.toolsOf(source).some(({ name }) => mayUse(principal, source, name))
    );
  }

  faceNow(source: string): { readonly face?: ServerFace | undefined } | undefined {
    return this.#attached.get(source)?.source.currentFace?.();
  }

  /** Bounded like a call: a source that never becomes ready must not keep anybody waiting for ever. */
  async face(source: string, signal: CancelSignal, asker?: FaceAsker): Promise<ServerFace | undefined> {
    const current = asker?.caller?.canBeAsked ? undefined : this.faceNow(source);
    if (current) return current.face;
    const over = new AbortController();
    const seconds = this.#ports.limits().callSeconds;
    const late = new ZaguanError("DEADLINE_EXCEEDED", { params: { source, seconds }, delivery: "not_sent" });
    const stop = this.#ports.clock.after(seconds * 1_000, () => over.abort(late));
    try {
      const patience = anyOf(signal, over.signal);
      const asked = asker && { ...asker, method: "initialize", signal: patience };
      return await this.#attached.get(source)?.source.face(patience, asked);
    } finally {
      stop();
    }
  }

  /** Who may not use everything does not count among those who may hear everything. */
  join(source: string, caller: Caller, principal: Principal): () => void {
    const leave = isLimited(principal) ? undefined : this.#callers.join(source, principal.id);
    return () => {
      leave?.();
      const left = source === EVERYWHERE ? this.sources() : [this.#attached.get(source)?.source];
      for (const one of left) one?.left?.(caller);
    };
  }

  /** Only what a source may have to know; and only of those who may use all of it. */
  tell(source: string, method: string, params: Payload, principal: Principal, caller?: Caller): void {
    if (isLimited(principal) || !OF_CLIENTS.has(method)) return;
    this.#attached.get(source)?.source.notify(method, params, caller);
  }

  /** Counts from the beginning: another client's leaving must not take away what the source is just giving. */
  async subscribe(request: PassRequest, uri: string): Promise<Payload> {
    const { signal = new LightAbort() } = request;
    await this.#attached.get(request.source)?.source.settle?.({ ...request, signal });
    if (request.caller && this.#hasOwn(request)) return this.#subscribeAlone(request, request.caller, uri);
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

  /** As long as another client listens, the source must go on telling; who had a connection of its own is not counted. */
  unsubscribe(request: PassRequest, uri: string): Promise<Payload> {
    const isOwn = request.caller?.ownUris?.delete(uri) === true;
    const isToBeTold = isOwn ? this.#hasOwn(request) : this.#subscriptions.drop(request.source, uri);
    return isToBeTold ? this.pass(request) : Promise.resolve(EMPTY_OBJECT);
  }

  async #subscribeAlone(request: PassRequest, caller: Caller, uri: string): Promise<Payload> {
    const result = await this.pass(request);
    caller.ownUris ??= new Set();
    caller.ownUris.add(uri);
    return result;
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
    return this.#runner.carry(subject, { ...request, tool: method });
  }

  onNotification(listener: (source: string, method: string, params: Payload) => void): () => void {
    this.#hearers.add(listener);
    return () => this.#hearers.delete(listener);
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
    if (isListChange) this.#listChanges.add(source, method, params);
    else {
      this.offers.tell(method, params);
      this.#hear(source, method, params);
    }
  }

  #hear(source: string, method: string, params: Payload): void {
    for (const listener of this.#hearers) listener(source, method, params);
  }

  onToolsChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes no more calls and ends those under way: their callers are told. */
  endCalls(): void {
    this.#runner.end();
  }

  /** Ends what is still under way and closes every source. */
  async close(): Promise<void> {
    this.endCalls();
    await Promise.all([...this.#attached.keys()].map((name) => this.detach(name)));
    this.#announcing?.();
    this.#listChanges.end();
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

  async #call({ source, tool }: CatalogueEntry, asked: CallRequest): Promise<Payload> {
    const link = asked.principal.links?.find(source, tool.name);
    const request = link ? linkedCall(asked, link) : asked;
    const { meta, unchecked = false } = request;
    const args = this.#attached.get(source)?.normalizeArguments?.(tool.name, request.args) ?? request.args;
    const given = request.params && isLimited(asked.principal) ? withoutLookalikes(request.params) : request.params;
    const params = given && withName(given, request, tool.name);
    const fixed = link?.fixedArguments;
    const subject = { source, method: "tools/call", name: tool.name, tool, args, fixed, meta, params, unchecked };
    const result = await this.#runner.carry(subject, request);
    const taskId = taskIn(result);
    if (taskId !== undefined) this.offers.begun(source, request.principal, taskId);
    return result;
  }

  /**
   * A tool that is not known yet, or whose name is not given yet, may belong to a source that is still coming up. One that
   * its caller may not use is waited for as well: it must look like one that is not there, in time and in every record.
   */
  async #callLater(request: CallRequest): Promise<Payload> {
    await this.#settled();
    const found = this.#catalogue.called(request.tool) ?? this.#unheard(request.tool);
    const entry = usable(found, request.principal);
    return entry ? this.#call(entry, request) : this.#runner.refuse(unknownSubject(request), request);
  }

  /** Rejects as a call would before anything is sent: a tool that is not its caller's, an argument that is not its to give. */
  async check(request: CallRequest): Promise<void> {
    await this.#settled();
    const { tool: name, principal } = request;
    const found = this.#catalogue.called(name) ?? this.#findAway(principal, name) ?? this.#unheard(name);
    const entry = usable(found, principal);
    if (!entry) throw unknownTool(name);
    const link = principal.links?.find(entry.source, entry.tool.name);
    if (link) linkedCall(request, link);
  }

  /** `server__tool` of a source that has never said what it offers: the call waits for it as any other, and it judges. */
  #unheard(name: string): CatalogueEntry | undefined {
    const isMeant = (source: string): boolean => name.startsWith(`${source}__`) && !this.#catalogue.hasListed(source);
    const source = [...this.#attached.keys()].find(isMeant);
    return source === undefined ? undefined : undescribed(source, name);
  }

  #settled(): Promise<void> {
    return this.#discovery.settled(this.#ports.limits().listWaitSeconds * 1_000);
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

  #learned(source: Source, tools: readonly ToolDefinition[]): boolean {
    if (this.#attached.get(source.name)?.source !== source) return false;
    const { true: fit = [], false: unfit = [] } = Object.groupBy(tools, (tool) => `${unfitness(tool) === undefined}`);
    this.#leaveOut(source.name, unfit);
    this.#unlisted.delete(source.name);
    if (!this.#catalogue.setTools(source.name, fit)) return false;
    this.#ports.cache.drop(source.name);
    this.#ports.emit({ type: "tools-changed", source: source.name, count: tools.length });
    this.#announce("tools");
    return true;
  }

  /** A source that cannot be had says so by itself; one that is there and does not list is told once for each reason. */
  #notListed(source: string, { code, details: { relayed, params } }: ZaguanError): void {
    if (code !== "SOURCE_ERROR" && code !== "ANSWER_TOO_LARGE") return;
    const reason = relayed ? `JSON-RPC error ${relayed.code}` : (params?.["reason"] ?? code);
    const line = `its tools could not be listed: ${reason}; it can still be called at /servers/${source}/mcp`;
    if (this.#unlisted.get(source) !== line) this.#ports.emit({ type: "source-warning", source, line });
    this.#unlisted.set(source, line);
  }

  /** Each is told when it is first left out. */
  #leaveOut(source: string, unfit: readonly ToolDefinition[]): void {
    const known = new Set(this.#unfit.get(source)?.map(({ name }) => name));
    this.#unfit.set(source, unfit);
    for (const tool of unfit.filter(({ name }) => !known.has(name)).slice(0, MOST_TOLD)) {
      const line = `tool '${tool.name.slice(0, 64)}' is not offered: ${unfitness(tool)}`;
      this.#ports.emit({ type: "source-warning", source, line });
    }
  }

  /** Comes after the tools of the same asking, so that both are kept together. */
  #learnedOffers(source: Source, offers: SourceOffers): void {
    if (this.#attached.get(source.name)?.source !== source) return;
    this.#announce(...this.offers.set(source.name, offers));
    const unfit = this.#unfit.get(source.name) ?? [];
    this.#ports.onListed(source.name, { tools: this.#catalogue.toolsOf(source.name), offers, unfit });
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

/** The error for another node that believes this node holds the source, and is wrong. */
function goneFromHere(source: string): ZaguanError {
  const params = { source, reason: "it is not here at the moment" };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent" });
}

/** At a source's own door the source itself says which tools it has. */
function unlisted({ server, unchecked, tool }: CallRequest): CatalogueEntry | undefined {
  return server === undefined || !unchecked ? undefined : undescribed(server, tool);
}

function undescribed(source: string, publicName: string): CatalogueEntry {
  const tool = { name: publicName.slice(source.length + 2), inputSchema: { type: "object" } };
  return { source, publicName, tool };
}

/** What a principal may not use is not there. */
function usable(entry: CatalogueEntry | undefined, principal: Principal): CatalogueEntry | undefined {
  return entry && mayUse(principal, entry.source, entry.tool.name) ? entry : undefined;
}

/** A call that no source is known for: its record has no source, and the tool's name as the caller wrote it. */
function unknownSubject({ tool: name, args, meta, params, unchecked = false }: CallRequest): Subject {
  const tool = { name: name.slice(0, LONGEST_UNKNOWN), inputSchema: { type: "object" } };
  return { source: "", method: "tools/call", name: tool.name, tool, args, meta, params, unchecked };
}

/** What clients say and nobody answers. */
const OF_CLIENTS: ReadonlySet<string> = new Set(["notifications/roots/list_changed", "notifications/progress"]);
const OTHER_LISTS: ReadonlySet<string> = new Set([
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
]);
const LOG_MESSAGE = "notifications/message";

/** As the revisions with a handshake announce it. */
interface Task {
  readonly taskId?: unknown;
}

/** The caller's params, but for the name, which is the source's own; at that source's door callers use it themselves. */
function withName(params: Payload, { tool, server }: CallRequest, name: string): Payload {
  const called = server === undefined ? tool : tool.slice(server.length + 2);
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
