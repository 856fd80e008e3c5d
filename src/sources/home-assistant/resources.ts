/**
 * The entities of a house as MCP's resources: `hass://entities/light.salon`, and with the house's name in front where several
 * houses have an entity of that name. Whoever subscribes hears of each change at once, of a changed list a little later.
 */
import { isObject } from "../../contract/rules.ts";
import type { Clock } from "../../core/ports.ts";
import { ZaguanError } from "../../errors.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import { type Change, type Entity, friendlyName, type LiveStates } from "./live-states.ts";

interface ResourcesOptions {
  readonly name: string;
  readonly states: LiveStates;
  readonly clock: Clock;
  /** Survives the connection. */
  readonly lastHeard: Map<string, Entity | undefined>;
  notify(method: string, params: Payload): void;
}

/** A house that starts brings its entities one by one. */
const LIST_MS = 1_000;

export class EntityResources {
  readonly #options: ResourcesOptions;
  /** The URIs by which somebody listens, by entity. */
  readonly #subscribed = new Map<string, Set<string>>();
  #stopTimer: (() => void) | undefined;

  constructor(options: ResourcesOptions) {
    this.#options = options;
  }

  /** Undefined if the method is about something else. */
  answer(method: string, params: Payload | undefined, language: Language): Payload | undefined {
    switch (method) {
      case "resources/list":
        return Payload.ofValue({ resources: [...this.#options.states.all()].map(resourceOf) });
      case "resources/templates/list":
        return Payload.ofValue({ resourceTemplates: templatesOf(this.#options.name, language) });
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

  changed({ ids, isOfList }: Change): void {
    if (this.#subscribed.size > 0) for (const id of ids) this.#tell(id);
    if (!isOfList) return;
    this.#stopTimer ??= this.#options.clock.after(LIST_MS, () => {
      this.#stopTimer = undefined;
      this.#options.notify("notifications/resources/list_changed", EMPTY_OBJECT);
    });
  }

  /** A connection that nobody listened to has nothing to remember, and takes nothing away from what another knew. */
  end(): void {
    this.#stopTimer?.();
    if (this.#subscribed.size === 0) return;
    const { lastHeard, states } = this.#options;
    lastHeard.clear();
    for (const id of this.#subscribed.keys()) lastHeard.set(id, states.get(id));
  }

  #read(uri: string): Payload {
    const id = this.#idOf(uri);
    const entity = id === undefined ? undefined : this.#options.states.get(id);
    if (!entity) throw notFound(uri);
    return Payload.ofValue({ contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(entity) }] });
  }

  /** One that is not there may come: a house that starts has few entities at first. */
  #subscribe(uri: string): Payload {
    const id = this.#idOf(uri);
    if (id === undefined) throw notFound(uri);
    const uris = this.#subscribed.get(id) ?? new Set();
    this.#subscribed.set(id, uris.add(uri));
    this.#catchUp(id);
    return EMPTY_OBJECT;
  }

  #unsubscribe(uri: string): Payload {
    const id = this.#idOf(uri) ?? "";
    const uris = this.#subscribed.get(id);
    uris?.delete(uri);
    if (uris?.size === 0) this.#subscribed.delete(id);
    return EMPTY_OBJECT;
  }

  /** What changed while the house was away is told to those who come back. */
  #catchUp(id: string): void {
    const { lastHeard, states } = this.#options;
    if (!lastHeard.has(id)) return;
    const before = lastHeard.get(id);
    lastHeard.delete(id);
    if (before?.last_updated !== states.get(id)?.last_updated) this.#tell(id);
  }

  #tell(id: string): void {
    for (const uri of this.#subscribed.get(id) ?? []) {
      this.#options.notify("notifications/resources/updated", Payload.ofValue({ uri }));
    }
  }

  #idOf(uri: string): string | undefined {
    return entityOf(uri, this.#options.name);
  }
}

function uriIn(params: Payload | undefined): string {
  const uri = isObject(params?.value) ? params.value["uri"] : undefined;
  if (typeof uri === "string") return uri;
  throw new ZaguanError("INVALID_PARAMS", { params: { reason: "'uri' must be a text" }, delivery: "not_sent" });
}

/** In MCP's own number, which every door knows how to say. */
function notFound(uri: string): ZaguanError {
  const message = `Resource not found: ${JSON.stringify(uri.slice(0, 200))}`;
  const relayed = { code: -32002, message, data: { uri } };
  return new ZaguanError("INVALID_PARAMS", { params: { reason: message }, relayed, delivery: "not_sent" });
}

type Definition = Readonly<Record<string, string>>;

const SCHEME = "hass://";
const JSON_TYPE = "application/json";

/** By the short address, or by the one with the house's name in it; undefined if it is neither. */
export function entityOf(uri: string, house: string): string | undefined {
  const starts = [`${SCHEME}${house}/entities/`, `${SCHEME}entities/`];
  const start = starts.find((one) => uri.startsWith(one));
  return start === undefined ? undefined : decoded(uri.slice(start.length));
}

export function resourceOf(entity: Entity): Definition {
  const { entity_id: name } = entity;
  const uri = `${SCHEME}entities/${encodeURIComponent(name.toWellFormed())}`;
  return { uri, name, title: friendlyName(entity), mimeType: JSON_TYPE };
}

/** What can be told of a house that has never been seen. */
export function templatesOf(house: string, language: Language): readonly Definition[] {
  const description = say(language, "home.resource");
  const template = (name: string, uriTemplate: string) => ({ uriTemplate, name, description, mimeType: JSON_TYPE });
  return [
    template("entity", `${SCHEME}entities/{entity_id}`),
    template(`entity of ${house}`, `${SCHEME}${house}/entities/{entity_id}`),
  ];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
