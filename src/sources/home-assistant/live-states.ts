/**
 * The states of a house as they are now, kept up to date by what `subscribe_entities` sends: all of them at first, then
 * what was added, changed or removed. Pure. Names come from outside, so nothing here is looked up along a prototype: an
 * attribute may be called `__proto__`.
 */
import { isObject } from "../../contract/rules.ts";
import type { Fields } from "../shared/tool-call.ts";
import type { PlacedThing, Thing, Things, ThingsListener } from "../source.ts";
import type { Registries } from "./registries.ts";

/** As Home Assistant's REST interface shows it. */
export interface Entity {
  readonly entity_id: string;
  readonly state: string;
  readonly attributes: Fields;
  readonly last_changed: string;
  readonly last_updated: string;
  readonly context: Fields;
}

interface Change {
  /** Those that came, went, or are different now. */
  readonly ids: readonly string[];
  /** Whether any of them came or went. */
  readonly isOfList: boolean;
}

export class LiveStates {
  readonly #entities = new Map<string, Entity>();

  get size(): number {
    return this.#entities.size;
  }

  get(id: string): Entity | undefined {
    return this.#entities.get(id);
  }

  /** As somebody wrote it: Home Assistant itself takes ids in any letter case. */
  find(id: string): Entity | undefined {
    return this.get(id) ?? this.get(id.toLowerCase());
  }

  /** In the order in which they came. */
  all(): IterableIterator<Entity> {
    return this.#entities.values();
  }

  /** As they are now, by id, whatever comes. */
  snapshot(): ReadonlyMap<string, Entity> {
    return new Map(this.#entities);
  }

  /** What is not of the known form is passed over. */
  apply(event: unknown): Change {
    const { a: added, c: changed, r: removed } = isObject(event) ? event : {};
    const before = this.#entities.size;
    const come = members(added).filter(([id, now]) => this.#add(id, now));
    const grown = this.#entities.size > before;
    const different = members(changed).filter(([id, delta]) => this.#change(id, delta));
    const gone = (Array.isArray(removed) ? removed : []).filter((id: unknown) => this.#entities.delete(String(id)));
    const ids = [...come, ...different].map(([id]) => id);
    return { ids: [...ids, ...gone.map(String)], isOfList: grown || gone.length > 0 };
  }

  #add(id: string, now: Fields): boolean {
    const { s: state, a: attributes, c: context, lc, lu } = now;
    const last_changed = timeOf(lc) ?? new Date().toISOString();
    this.#entities.set(id, {
      entity_id: id,
      state: String(state),
      attributes: isObject(attributes) ? attributes : {},
      last_changed,
      last_updated: timeOf(lu) ?? last_changed,
      context: { id: null, parent_id: null, user_id: null, ...contextOf(context) },
    });
    return true;
  }

  #change(id: string, { "+": more = {}, "-": less = {} }: Fields): boolean {
    const before = this.#entities.get(id);
    if (!before || !isObject(more)) return false;
    const changed = timeOf(more["lc"]);
    this.#entities.set(id, {
      ...before,
      state: more["s"] === undefined ? before.state : String(more["s"]),
      attributes: merged(before.attributes, more["a"], isObject(less) ? less["a"] : undefined),
      last_changed: changed ?? before.last_changed,
      last_updated: changed ?? timeOf(more["lu"]) ?? before.last_updated,
      context: { ...before.context, ...contextOf(more["c"]) },
    });
    return true;
  }
}

export function domainOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf(".")));
}

export function friendlyName({ entity_id, attributes }: Entity): string {
  const name = Object.hasOwn(attributes, "friendly_name") ? attributes["friendly_name"] : undefined;
  return typeof name === "string" ? name : entity_id;
}

/** Spreading defines members and sets none, so that `__proto__` is a name like any other. */
function merged(before: Fields, more: unknown, gone: unknown): Fields {
  const after = isObject(more) ? { ...before, ...more } : before;
  if (!Array.isArray(gone)) return after;
  return Object.fromEntries(Object.entries(after).filter(([name]) => !gone.includes(name)));
}

function members(value: unknown): [string, Fields][] {
  const all = isObject(value) ? Object.entries(value) : [];
  return all.filter((member): member is [string, Fields] => isObject(member[1]));
}

/** Only its id is sent where there is nothing else in it. */
function contextOf(context: unknown): Fields {
  if (typeof context === "string") return { id: context };
  return isObject(context) ? context : {};
}

const LATEST_SECONDS = 8.64e12;

function timeOf(seconds: unknown): string | undefined {
  if (typeof seconds !== "number" || !(Math.abs(seconds) <= LATEST_SECONDS)) return undefined;
  return new Date(seconds * 1_000).toISOString();
}

/** The entities of a house for those who look at it: by area, with what changes while somebody watches. */
export class HomeThings implements Things {
  readonly #states: LiveStates;
  readonly #registries: Registries;
  readonly #listeners = new Set<ThingsListener>();
  #unwatch: (() => void) | undefined;

  constructor(registries: Registries, states: LiveStates) {
    this.#states = states;
    this.#registries = registries;
  }

  async list(): Promise<readonly PlacedThing[]> {
    const { isShown, placeOf } = await this.#registries.read();
    const shown = [...this.#states.all()].filter(({ entity_id }) => isShown(entity_id));
    return shown.map((entity) => ({ thing: thingOf(entity), place: placeOf(entity.entity_id) }));
  }

  get(id: string): Thing | undefined {
    const entity = this.#states.get(id);
    return entity && thingOf(entity);
  }

  watch(listener: ThingsListener): () => void {
    this.#listeners.add(listener);
    this.#unwatch ??= this.#registries.watch(() => this.#tell((each) => each.rearranged()));
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#unwatch?.();
      this.#unwatch = undefined;
    };
  }

  /** To be told of what the house says. */
  changed({ ids, isOfList }: Change): void {
    this.#tell((each) => (isOfList ? each.rearranged() : each.changed(ids)));
  }

  #tell(say: (listener: ThingsListener) => void): void {
    for (const listener of this.#listeners) say(listener);
  }
}

function thingOf(entity: Entity): Thing {
  const { entity_id: id, state, last_changed: changedUtc, attributes } = entity;
  const domain = domainOf(id);
  const unit = Object.hasOwn(attributes, "unit_of_measurement") ? attributes["unit_of_measurement"] : undefined;
  return { id, name: friendlyName(entity), domain, state, ...(typeof unit === "string" && { unit }), changedUtc };
}
