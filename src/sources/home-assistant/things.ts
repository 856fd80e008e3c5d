/** The entities of a house for those who look at it: by area, with what changes while somebody watches. */
import type { PlacedThing, Thing, Things, ThingsListener } from "../source.ts";
import { type Change, domainOf, type Entity, friendlyName, type LiveStates } from "./live-states.ts";
import type { Registries } from "./registries.ts";

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
