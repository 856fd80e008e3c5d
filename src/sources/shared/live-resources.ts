/**
 * Resources that change while somebody looks: the entities of a house, the topics of a broker. It answers MCP's five methods
 * about them, knows who listens to which, and tells them; of a changed list it tells a little later, since a source that
 * starts brings its resources one by one. What changed between two connections is told by the second.
 */
import { isObject } from "../../contract/rules.ts";
import type { Clock } from "../../core/ports.ts";
import { ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";

/** What a source has, each under an id; `Value` is what tells whether one has changed. */
export interface ResourceSet<Value> {
  /** The result of `resources/list`. */
  list(cursor: unknown): object;
  templates(language: Language): readonly object[];
  /** Undefined where the URI is none of this source's. */
  idOf(uri: string): string | undefined;
  /** Its content as MCP writes it, without the URI; undefined if it is not there. */
  read(id: string): object | undefined;
  get(id: string): Value | undefined;
  isSame(before: Value | undefined, now: Value | undefined): boolean;
}

interface ResourcesOptions<Value> {
  readonly clock: Clock;
  /** How those that somebody listens to were when the last connection ended. Survives the connection. */
  readonly lastHeard: Map<string, Value | undefined>;
  /** For how long changes are gathered before they are told. @default not at all */
  readonly gatherMs?: number | undefined;
  /** To how many somebody may listen. @default any number */
  readonly most?: number | undefined;
  notify(method: string, params: Payload): void;
}

const LIST_MS = 1_000;

export class LiveResources<Value> {
  readonly #set: ResourceSet<Value>;
  readonly #options: ResourcesOptions<Value>;
  /** The URIs by which somebody listens, by id. */
  readonly #subscribed = new Map<string, Set<string>>();
  readonly #gathered = new Set<string>();
  #stopUpdates: (() => void) | undefined;
  #stopList: (() => void) | undefined;

  constructor(set: ResourceSet<Value>, options: ResourcesOptions<Value>) {
    this.#set = set;
    this.#options = options;
  }

  /** Undefined if the method is about something else. */
  answer(method: string, params: Payload | undefined, language: Language): Payload | undefined {
    switch (method) {
      case "resources/list":
        return Payload.ofValue(this.#set.list(memberOf(params, "cursor")));
      case "resources/templates/list":
        return Payload.ofValue({ resourceTemplates: this.#set.templates(language) });
      case "resources/read":
        return this.#read(uriIn(params));
      case "resources/subscribe":
        return this.#subscribe(uriIn(params));
      case "resources/unsubscribe":
        return this.#unsubscribe(uriIn(params));
      default:
        return undefined;
    }
  }

  changed(ids: readonly string[]): void {
    if (this.#subscribed.size === 0) return;
    for (const id of ids) if (this.#subscribed.has(id)) this.#changed(id);
  }

  listChanged(): void {
    this.#stopList ??= this.#options.clock.after(LIST_MS, () => {
      this.#stopList = undefined;
      this.#options.notify("notifications/resources/list_changed", EMPTY_OBJECT);
    });
  }

  /** A connection that nobody listened to has nothing to remember, and takes nothing away from what another knew. */
  end(): void {
    this.#stopUpdates?.();
    this.#stopList?.();
    if (this.#subscribed.size === 0) return;
    const { lastHeard } = this.#options;
    lastHeard.clear();
    for (const id of this.#subscribed.keys()) lastHeard.set(id, this.#set.get(id));
  }

  #read(uri: string): Payload {
    const id = this.#set.idOf(uri);
    const content = id === undefined ? undefined : this.#set.read(id);
    if (!content) throw notFound(uri);
    return Payload.ofValue({ contents: [{ uri, ...content }] });
  }

  /** One that is not there may come. */
  #subscribe(uri: string): Payload {
    const id = this.#set.idOf(uri);
    const uris = this.#subscribed.get(id ?? "") ?? new Set();
    const isFull = this.#subscribed.size >= (this.#options.most ?? Infinity) && uris.size === 0;
    if (id === undefined || isFull) throw notFound(uri);
    this.#subscribed.set(id, uris.add(uri));
    this.#catchUp(id);
    return EMPTY_OBJECT;
  }

  #unsubscribe(uri: string): Payload {
    const id = this.#set.idOf(uri) ?? "";
    const uris = this.#subscribed.get(id);
    uris?.delete(uri);
    if (uris?.size === 0) this.#subscribed.delete(id);
    return EMPTY_OBJECT;
  }

  /** What changed while the source was away is told to those who come back. */
  #catchUp(id: string): void {
    const { lastHeard } = this.#options;
    if (!lastHeard.has(id)) return;
    const before = lastHeard.get(id);
    lastHeard.delete(id);
    if (!this.#set.isSame(before, this.#set.get(id))) this.#changed(id);
  }

  #changed(id: string): void {
    this.#gathered.add(id);
    const { gatherMs, clock } = this.#options;
    if (gatherMs === undefined) this.#tell();
    else this.#stopUpdates ??= clock.after(gatherMs, () => this.#tell());
  }

  #tell(): void {
    this.#stopUpdates = undefined;
    const uris = [...this.#gathered].flatMap((id) => [...(this.#subscribed.get(id) ?? [])]);
    this.#gathered.clear();
    for (const uri of uris) this.#options.notify("notifications/resources/updated", Payload.ofValue({ uri }));
  }
}

function memberOf(params: Payload | undefined, name: string): unknown {
  return isObject(params?.value) ? params.value[name] : undefined;
}

function uriIn(params: Payload | undefined): string {
  const uri = memberOf(params, "uri");
  if (typeof uri === "string") return uri;
  throw new ZaguanError("INVALID_PARAMS", { params: { reason: "'uri' must be a text" }, delivery: "not_sent" });
}

/** In MCP's own number, which every door knows how to say. */
export function notFound(uri: string): ZaguanError {
  const message = `Resource not found: ${JSON.stringify(uri.slice(0, 200))}`;
  const relayed = { code: -32002, message, data: { uri } };
  return new ZaguanError("INVALID_PARAMS", { params: { reason: message }, relayed, delivery: "not_sent" });
}
