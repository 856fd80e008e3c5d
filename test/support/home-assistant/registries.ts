/** The registries: areas, devices, and the entities that have an id of their own; as they are listed over the socket. */
import { createHash } from "node:crypto";
import { AREAS, type Furniture } from "./furniture.ts";
import { now, seconds } from "./moments.ts";
import { domainOf } from "./states.ts";

export interface Entry {
  readonly entityId: string;
  readonly platform: string;
  readonly uniqueId: string;
  readonly name: string;
  readonly deviceId: string | null;
  readonly category: Category | null;
  area: string | null;
  hiddenBy: string | null;
}

/** What an entity is that sets its device up, or tells how that fares. */
export type Category = "config" | "diagnostic";

const CATEGORIES: readonly Category[] = ["config", "diagnostic"];

const CONFIG_ENTRY = hex("demo");

export class Registries {
  readonly #modern: boolean;
  readonly #created = seconds(now());
  readonly #entries = new Map<string, Entry>();
  /** Names by id. */
  readonly #areas = new Map(AREAS);
  /** Areas of devices, as far as they have one. */
  readonly #deviceAreas = new Map<string, string>();

  constructor(modern: boolean) {
    this.#modern = modern;
  }

  add({ id, attributes, registered }: Furniture): void {
    if (!registered) return;
    const { platform, uniqueId, area = null, category = null } = registered;
    const isDevice = platform === "demo" && ["light", "switch"].includes(domainOf(id));
    const name = String(attributes["friendly_name"] ?? id);
    const deviceId = isDevice ? hex(uniqueId) : null;
    this.#entries.set(id, { entityId: id, platform, uniqueId, name, area, category, deviceId, hiddenBy: null });
  }

  remove(entityId: string): void {
    this.#entries.delete(entityId);
  }

  get(entityId: string): Entry | undefined {
    return this.#entries.get(entityId);
  }

  /** The entities that these areas and devices stand for. */
  entitiesOf(areas: readonly unknown[], devices: readonly unknown[]): string[] {
    const meant = [...this.#entries.values()].filter(({ area, deviceId }) => {
      const standsIn = area ?? this.#deviceAreas.get(deviceId ?? "");
      return (standsIn && areas.includes(standsIn)) || (deviceId && devices.includes(deviceId));
    });
    return meant.map((entry) => entry.entityId);
  }

  /** False if there is no such area. */
  renameArea(id: string, name: string): boolean {
    return this.#areas.has(id) && this.#areas.set(id, name) !== undefined;
  }

  area(id: string): object | undefined {
    return this.areas().find((area) => "area_id" in area && area.area_id === id);
  }

  /** Undefined if there is no such device. */
  moveDevice(id: string, area: string | null): object | undefined {
    const entry = [...this.#entries.values()].find(({ deviceId }) => deviceId === id);
    if (area === null) this.#deviceAreas.delete(id);
    else this.#deviceAreas.set(id, area);
    return entry && this.#device(entry);
  }

  areas(): object[] {
    const more = {
      floor_id: null,
      humidity_entity_id: null,
      labels: [],
      temperature_entity_id: null,
      ...this.#dates(),
    };
    return [...this.#areas].map(([area_id, name]) => {
      return { aliases: [], area_id, icon: null, name, picture: null, ...(this.#modern && more) };
    });
  }

  devices(): object[] {
    return [...this.#entries.values()].flatMap((entry) => (entry.deviceId ? [this.#device(entry)] : []));
  }

  entities(): object[] {
    return [...this.#entries.values()].map((entry) => this.partial(entry));
  }

  /** The short form, in which what is not set is left out. */
  display(): object {
    const entities = [...this.#entries.values()].map((entry) => ({
      ei: entry.entityId,
      pl: entry.platform,
      ...(entry.area && { ai: entry.area }),
      lb: [],
      ...(entry.deviceId && { di: entry.deviceId }),
      ...(entry.category && { ec: CATEGORIES.indexOf(entry.category) }),
      ...(entry.hiddenBy && { hb: true }),
      ...(entry.deviceId && { en: null }),
    }));
    return { entity_categories: { 0: "config", 1: "diagnostic" }, entities: entities };
  }

  partial(entry: Entry): object {
    return {
      area_id: entry.area,
      ...(this.#modern && { categories: {}, config_subentry_id: null, ...this.#dates() }),
      config_entry_id: entry.platform === "demo" ? CONFIG_ENTRY : null,
      device_id: entry.deviceId,
      disabled_by: null,
      entity_category: entry.category,
      entity_id: entry.entityId,
      has_entity_name: entry.deviceId !== null,
      hidden_by: entry.hiddenBy,
      icon: null,
      id: hex(entry.entityId),
      labels: [],
      name: null,
      options: { conversation: { should_expose: true } },
      original_name: entry.deviceId ? null : entry.name,
      platform: entry.platform,
      translation_key: null,
      unique_id: entry.uniqueId,
    };
  }

  /** What a change answers with. */
  extended(entry: Entry): object {
    const nothing = { capabilities: null, device_class: null, original_device_class: null, original_icon: null };
    return { ...this.partial(entry), aliases: [], ...nothing };
  }

  #device({ deviceId, uniqueId, name }: Entry): object {
    return {
      area_id: this.#deviceAreas.get(deviceId ?? "") ?? null,
      configuration_url: null,
      config_entries: [CONFIG_ENTRY],
      connections: [],
      disabled_by: null,
      entry_type: null,
      hw_version: null,
      id: deviceId,
      identifiers: [["demo", uniqueId]],
      manufacturer: null,
      model: null,
      name_by_user: null,
      name,
      serial_number: null,
      sw_version: null,
      via_device_id: null,
      ...(this.#modern && { labels: [], model_id: null, primary_config_entry: CONFIG_ENTRY, ...this.#dates() }),
    };
  }

  #dates(): object {
    return { created_at: this.#created, modified_at: this.#created };
  }
}

function hex(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
