/** The devices of a broker for those who look at them: every property that stands for itself, with what changes. */
import type { PlacedThing, Thing, Things, ThingsListener } from "../source.ts";
import { wordsFor } from "./discovery/device.ts";
import { type Entity, entityId, entityName, isOnline, type LiveDevices } from "./live-devices.ts";

export class MqttThings implements Things {
  readonly #devices: LiveDevices;
  readonly #listeners = new Set<ThingsListener>();

  constructor(devices: LiveDevices) {
    this.#devices = devices;
  }

  async list(): Promise<readonly PlacedThing[]> {
    const worth = [...this.#devices.entities().values()].filter(({ property }) => !property.isExtra);
    return worth.map((entity) => ({ thing: thingOf(entity), place: placeOf(entity) }));
  }

  get(id: string): Thing | undefined {
    const entity = this.#devices.entities().get(id);
    return entity && thingOf(entity);
  }

  watch(listener: ThingsListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  changed(ids: readonly string[]): void {
    for (const listener of this.#listeners) listener.changed(ids);
  }

  rearranged(): void {
    for (const listener of this.#listeners) listener.rearranged();
  }
}

function placeOf({ live }: Entity): PlacedThing["place"] {
  const { area } = live.device;
  return area === undefined ? undefined : { id: area, name: area };
}

function thingOf(entity: Entity): Thing {
  const { live, property } = entity;
  const known = live.values.get(property.key);
  return {
    id: entityId(entity),
    name: entityName(entity),
    domain: property.domain ?? "",
    state: isOnline(live) === false ? "unavailable" : wordsFor(property, known?.value),
    ...(property.unit !== undefined && { unit: property.unit }),
    changedUtc: known ? new Date(known.changedAt).toISOString() : null,
  };
}
