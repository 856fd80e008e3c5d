/**
 * What sources offer beside tools: prompts, resources and templates of resources, of all of them together. Prompts are
 * named by the same rule as tools; of two sources with the same resource the one registered first is asked.
 */
import { ZaguanError } from "../errors.ts";
import { EMPTY_OBJECT, Payload } from "../protocol/json/payload.ts";
import { memberOf } from "../protocol/json/scan.ts";
import { membersOf, withMember } from "../protocol/json/text-edit.ts";
import { matches, mayAsk } from "./access.ts";
import type { Caller, NotificationSink, PassRequest, Principal } from "./call.ts";
import { Catalogue } from "./catalogue.ts";
import type { Emit } from "./events.ts";

export const OFFER_KINDS = ["prompts", "resources", "resourceTemplates"] as const;
export type OfferKind = (typeof OFFER_KINDS)[number];

/** As its source wrote it; fields that we do not know are kept. */
export type Definition = Readonly<Record<string, unknown>>;
/** Undefined: the source has no such thing. */
export type SourceOffers = Readonly<Partial<Record<OfferKind, readonly Definition[]>>>;

/** A request about something that some source offers. */
export type AskRequest = Omit<PassRequest, "source">;

interface OffersPorts {
  readonly emit: Emit;
  /** Whether no source is still coming up. */
  isSettled(): boolean;
  /** Resolves when sources that are still coming up have had a little time. */
  settled(): Promise<void>;
  join(caller: Caller, principal: Principal): () => void;
  /** Whether this client has its own view of a source. */
  hasOwn(source: string, caller: Caller | undefined): boolean;
  pass(request: PassRequest): Promise<Payload>;
  subscribe(request: PassRequest, uri: string): Promise<Payload>;
  unsubscribe(request: PassRequest, uri: string): Promise<Payload>;
}

/** What a door sees of it. */
export interface OffersGateway {
  /** To be waited for before anything is asked: the first time, sources may still be coming up. */
  ready(): Promise<void>;
  /** A client that stays: whom sources can ask while it is the only one. The returned function ends it. */
  join(caller: Caller, principal: Principal): () => void;
  list(kind: OfferKind, principal: Principal): readonly Definition[];
  /** The same for this client: what it has made at a source of its own is there too. */
  listFor(kind: OfferKind, request: Omit<AskRequest, "method">): Promise<readonly Definition[]>;
  /** `prompts/get`, `resources/read`, `completion/complete` and `tasks/…`, of whichever source it concerns. */
  ask(request: AskRequest): Promise<Payload>;
  subscribe(request: AskRequest): Promise<Payload>;
  unsubscribe(request: AskRequest): Promise<Payload>;
  /**
   * Tells, in MCP's words, of lists that changed (a burst is told once), of resources, and what sources say to nobody in
   * particular; the returned function ends it.
   */
  onNotification(listener: NotificationSink): () => void;
}

type Named = Definition & { readonly name: string };

/** The request that lists each kind, by which it is also allowed. */
export const LISTED_BY: Readonly<Record<OfferKind, string>> = {
  prompts: "prompts/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
};

const CHANGED_BY: Readonly<Record<OfferKind, string>> = {
  prompts: "notifications/prompts/list_changed",
  resources: "notifications/resources/list_changed",
  resourceTemplates: "notifications/resources/list_changed",
};

export class Offers implements OffersGateway {
  readonly #ports: OffersPorts;
  /** In order of registration. */
  readonly #sources = new Map<string, SourceOffers>();
  readonly #prompts: Catalogue<Named>;
  readonly #listeners = new Set<NotificationSink>();
  /** Which source tells which client of which resource. */
  readonly #subscribedAt = new Map<string, string>();
  /** Which source works on which principal's task, and whose each source's task is. */
  readonly #tasks = new Map<string, string>();
  readonly #owners = new Map<string, string>();

  constructor(ports: OffersPorts) {
    this.#ports = ports;
    this.#prompts = new Catalogue<Named>(ports.emit, () => ports.isSettled());
  }

  register(source: string): void {
    if (!this.#sources.has(source)) this.#sources.set(source, {});
    this.#prompts.register(source);
  }

  /** Returns which lists changed by it. */
  set(source: string, offers: SourceOffers): readonly OfferKind[] {
    const before = this.#sources.get(source) ?? {};
    const changed = OFFER_KINDS.filter((kind) => JSON.stringify(before[kind]) !== JSON.stringify(offers[kind]));
    this.#sources.set(source, offers);
    this.#prompts.setTools(source, (offers.prompts ?? []).filter(isNamed));
    return changed;
  }

  remove(source: string, isAway = false): readonly OfferKind[] {
    const changed = this.set(source, {});
    this.#sources.delete(source);
    this.#prompts.remove(source, isAway);
    return changed;
  }

  ready(): Promise<void> {
    return this.#ports.settled();
  }

  join(caller: Caller, principal: Principal): () => void {
    return this.#ports.join(caller, principal);
  }

  onNotification(listener: NotificationSink): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** These lists changed. */
  announce(kinds: readonly OfferKind[]): void {
    for (const method of new Set(kinds.map((kind) => CHANGED_BY[kind]))) this.tell(method, EMPTY_OBJECT);
  }

  tell(method: string, params: Payload): void {
    for (const listener of this.#listeners) listener(method, params);
  }

  list(kind: OfferKind, principal: Principal): readonly Definition[] {
    const isAllowed = (source: string): boolean => mayAsk(principal, source, LISTED_BY[kind]);
    if (kind === "prompts") {
      const entries = this.#prompts.entries().filter(({ source }) => isAllowed(source));
      return entries.map(({ publicName, tool }) => (publicName === tool.name ? tool : { ...tool, name: publicName }));
    }
    const all = [...this.#sources].filter(([source]) => isAllowed(source)).flatMap(([, offers]) => offers[kind] ?? []);
    return unique(all, KEYS[kind]);
  }

  async listFor(kind: OfferKind, request: Omit<AskRequest, "method">): Promise<readonly Definition[]> {
    const { caller, principal } = request;
    const all = this.list(kind, principal);
    const own = [...this.#sources.keys()].filter((source) => this.#ports.hasOwn(source, caller));
    if (own.length === 0 || kind === "prompts") return all;
    const asked = { ...request, method: LISTED_BY[kind], params: EMPTY_OBJECT };
    const answers = await Promise.allSettled(own.map((source) => this.#ports.pass({ ...asked, source })));
    const more = answers.flatMap((answer) => (answer.status === "fulfilled" ? definitionsIn(answer.value, kind) : []));
    return unique([...all, ...more], KEYS[kind]);
  }

  async ask(request: AskRequest): Promise<Payload> {
    const params = request.params.value as { name?: unknown; uri?: unknown; taskId?: unknown; ref?: Reference } | null;
    if (request.method.startsWith("tasks/")) return this.#ports.pass(this.#ofTask(request, params?.taskId));
    if (request.method === "prompts/get") return this.#askPrompt(request, params?.name);
    if (request.method === "resources/read") return this.#ports.pass(this.#ofResource(request, params?.uri));
    const { ref } = params ?? {};
    if (ref?.type === "ref/prompt") return this.#askPrompt(request, ref.name);
    return this.#ports.pass(this.#ofResource(request, ref?.uri));
  }

  /** A source has begun a task instead of answering: only that source knows of it, and only that principal may ask. */
  begun(source: string, principal: Principal, taskId: string): void {
    remember(this.#tasks, keyOf(principal.id, taskId), source);
    remember(this.#owners, keyOf(source, taskId), principal.id);
  }

  isOthersTask(source: string, principal: Principal, taskId: unknown): boolean {
    return (this.#owners.get(keyOf(source, String(taskId))) ?? principal.id) !== principal.id;
  }

  /** The answer to `tasks/list` without what others began. */
  withoutOthersTasks(source: string, principal: Principal, result: Payload): Payload {
    const list = result.value as { readonly tasks?: unknown } | null;
    if (!Array.isArray(list?.tasks)) return result;
    const isOurs = (task: { taskId?: unknown } | null): boolean => !this.isOthersTask(source, principal, task?.taskId);
    const tasks = list.tasks.filter(isOurs);
    return tasks.length === list.tasks.length ? result : Payload.ofValue({ ...list, tasks });
  }

  async subscribe(request: AskRequest): Promise<Payload> {
    const [asked, uri] = this.#subscription(request);
    const result = await this.#ports.subscribe(asked, uri);
    this.#subscribedAt.set(subscriptionKey(request, uri), asked.source);
    return result;
  }

  /** Where it was subscribed to, even if the resource is listed elsewhere by now. */
  async unsubscribe(request: AskRequest): Promise<Payload> {
    const uri = String((request.params.value as { uri?: unknown } | null)?.uri);
    const key = subscriptionKey(request, uri);
    const source = this.#subscribedAt.get(key);
    this.#subscribedAt.delete(key);
    return this.#ports.unsubscribe(
      ...(source === undefined ? this.#subscription(request) : ([{ ...request, source }, uri] as const)),
    );
  }

  #subscription(request: AskRequest): [PassRequest, string] {
    const uri = (request.params.value as { uri?: unknown } | null)?.uri;
    return [this.#ofResource(request, uri), String(uri)];
  }

  /** Where it was renamed, the source hears its own name. What the principal may not use does not exist. */
  #askPrompt(request: AskRequest, name: unknown): Promise<Payload> {
    const entry = typeof name === "string" ? this.#prompts.find(name) : undefined;
    if (!entry || !mayAsk(request.principal, entry.source, request.method)) {
      throw invalid(`there is no prompt ${quoted(name)}`);
    }
    const { source, tool } = entry;
    if (tool.name === name) return this.#ports.pass({ ...request, source });
    return this.#ports.pass({ ...request, source, params: renamed(request, tool.name) });
  }

  #ofTask(request: AskRequest, taskId: unknown): PassRequest {
    const source = this.#tasks.get(keyOf(request.principal.id, String(taskId)));
    if (source === undefined) throw invalid(`there is no task ${quoted(taskId)}`);
    return { ...request, source };
  }

  #ofResource(request: AskRequest, uri: unknown): PassRequest {
    const source = typeof uri === "string" ? this.#sourceOf(uri, request) : undefined;
    if (source !== undefined) return { ...request, source };
    const relayed = { code: -32002, message: `Resource not found: ${quoted(uri)}`, data: { uri } };
    throw new ZaguanError("INVALID_PARAMS", { params: { reason: relayed.message }, relayed, delivery: "not_sent" });
  }

  /** Whoever lists it, else whoever has a template for it, else the only one that has resources at all. */
  #sourceOf(uri: string, { principal, method }: AskRequest): string | undefined {
    const all = [...this.#sources].filter(([source]) => mayAsk(principal, source, method));
    const lists = all.find(([, { resources }]) => resources?.some((one) => one["uri"] === uri));
    const fits = lists ?? all.find(([, { resourceTemplates }]) => resourceTemplates?.some((one) => isMade(one, uri)));
    if (fits) return fits[0];
    const able = all.filter(([, { resources }]) => resources !== undefined);
    return able.length === 1 ? able[0]?.[0] : undefined;
  }
}

const MOST_TASKS = 10_000;

/** The newest are kept. */
function remember(tasks: Map<string, string>, key: string, value: string): void {
  tasks.delete(key);
  tasks.set(key, value);
  const [oldest] = tasks.keys();
  if (tasks.size > MOST_TASKS && oldest !== undefined) tasks.delete(oldest);
}

function subscriptionKey({ caller, principal }: AskRequest, uri: string): string {
  return keyOf(caller?.identity ?? principal.id, uri);
}

function keyOf(whose: string, what: string): string {
  return `${whose}\n${what}`;
}

interface Reference {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly uri?: unknown;
}

const KEYS = { resources: "uri", resourceTemplates: "uriTemplate" } as const;

/** Of several with the same key, the first. */
function unique(all: readonly Definition[], key: string): readonly Definition[] {
  return [...new Map(all.toReversed().map((one) => [one[key], one])).values()].toReversed();
}

function definitionsIn({ value }: Payload, kind: OfferKind): readonly Definition[] {
  const list = (value as Readonly<Record<string, unknown>> | null)?.[kind];
  return Array.isArray(list) ? list.filter((one) => typeof one === "object" && one !== null) : [];
}

/** Whether this template could make that URI, or is it, as in a completion. */
function isMade({ uriTemplate }: Definition, uri: string): boolean {
  if (typeof uriTemplate !== "string") return false;
  return uriTemplate === uri || matches(uriTemplate.replace(/\{[^{}]*\}/g, "*"), uri);
}

/** The params with another name of the prompt, which a completion has in its `ref`; the rest as it was written. */
function renamed({ method, params: { text } }: AskRequest, name: string): Payload {
  const own = JSON.stringify(name);
  if (method === "prompts/get") return Payload.ofText(withMember(text, "name", own));
  const ref = memberOf(membersOf(text), "ref");
  return Payload.ofText(withMember(text, "ref", withMember(text.slice(ref?.start, ref?.end), "name", own)));
}

function isNamed(prompt: Definition): prompt is Named {
  return typeof prompt["name"] === "string" && prompt["name"] !== "";
}

function quoted(value: unknown): string {
  return JSON.stringify(value ?? null).slice(0, 200);
}

function invalid(reason: string): ZaguanError {
  return new ZaguanError("INVALID_PARAMS", { params: { reason }, delivery: "not_sent" });
}
