/**
 * Home Assistant's discovery: `<prefix>/<component>/[<node>/]<object>/config` describes one entity,
 * `<prefix>/device/<object>/config` a device with its components. Entities with the same device become one device. An empty
 * message takes back what was described.
 */
import { isObject } from "../../../contract/rules.ts";
import type { Fields } from "../../shared/tool-call.ts";
import { LIMITS } from "../broker.ts";
import { shown } from "../topics.ts";
import { expanded } from "./abbreviations.ts";
import { COMPONENTS, type Draft } from "./components.ts";
import type { Device, Dialect, Message, Property } from "./device.ts";
import { EntityConfig } from "./entity-config.ts";

interface Entity {
  readonly component: string;
  /** The object id in its topic, for entities without a name. */
  readonly objectId: string;
  readonly config: EntityConfig;
}

/** Where an entity is kept. */
interface Place {
  readonly device: string;
  readonly key: string;
}

/** Topics that tell whether one device is there. */
const MOST_AVAILABILITY = 10;

export class HomeAssistantDialect implements Dialect {
  readonly filters: readonly string[];
  isFull = false;
  readonly #topic: RegExp;
  readonly #entities = new Map<string, Map<string, Entity>>();
  readonly #devices = new Map<string, Device>();
  readonly #places = new Map<string, readonly Place[]>();
  #count = 0;

  constructor(prefix: string) {
    this.filters = [`${prefix}/+/+/config`, `${prefix}/+/+/+/config`];
    const escaped = prefix.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    this.#topic = new RegExp(`^${escaped}/([a-z_]+)/(?:[\\w-]+/)?([\\w-]+)/config$`);
  }

  isDescription(topic: string): boolean {
    return this.#topic.test(topic);
  }

  take(topic: string, { json }: Message): boolean {
    const [, component, objectId = ""] = this.#topic.exec(topic) ?? [];
    if (component === undefined) return false;
    const touched = new Set(this.#forget(topic));
    if (isObject(json)) {
      const described = component === "device" ? componentsOf(json) : [{ id: objectId, component, fields: json }];
      for (const device of this.#keep(topic, objectId, described)) touched.add(device);
    }
    for (const device of touched) this.#rebuild(device);
    return touched.size > 0;
  }

  devices(): Iterable<Device> {
    return this.#devices.values();
  }

  #forget(topic: string): readonly string[] {
    const places = this.#places.get(topic) ?? [];
    this.#places.delete(topic);
    for (const { device, key } of places) this.#count -= this.#entities.get(device)?.delete(key) ? 1 : 0;
    return places.map(({ device }) => device);
  }

  #keep(topic: string, objectId: string, described: readonly Described[]): readonly string[] {
    const places: Place[] = [];
    for (const { id, component, fields } of described) {
      if (!Object.hasOwn(COMPONENTS, component)) continue;
      const config = new EntityConfig(expanded(fields));
      const device = deviceIdOf(config, `${component}.${objectId}`);
      if (this.#count >= LIMITS.properties || (!this.#entities.has(device) && this.#entities.size >= LIMITS.devices)) {
        this.isFull = true;
        break;
      }
      const entities = this.#entities.get(device) ?? new Map<string, Entity>();
      const key = `${topic}#${id}`;
      if (!entities.has(key)) this.#count++;
      this.#entities.set(device, entities.set(key, { component, objectId: id, config }));
      places.push({ device, key });
    }
    if (places.length > 0) this.#places.set(topic, places);
    return places.map(({ device }) => device);
  }

  #rebuild(id: string): void {
    const entities = [...(this.#entities.get(id)?.values() ?? [])];
    const device = entities.length > 0 ? build(id, entities) : undefined;
    if (!device || device.properties.length === 0) this.#devices.delete(id);
    else this.#devices.set(id, device);
    if (entities.length === 0) this.#entities.delete(id);
  }
}

interface Described {
  readonly id: string;
  readonly component: string;
  readonly fields: Fields;
}

/** What stands beside the components is meant for each of them. One with nothing but its platform has been removed. */
function componentsOf(described: Fields): readonly Described[] {
  const { cmps, components = cmps, ...common } = described;
  if (!isObject(components)) return [];
  return Object.entries(components).flatMap(([id, own]) => {
    const component = isObject(own) ? (own["p"] ?? own["platform"]) : undefined;
    const isThere = typeof component === "string" && Object.keys(own as Fields).length > 1;
    return isThere ? [{ id, component, fields: { ...common, ...(own as Fields) } }] : [];
  });
}

/** By the first of its identifiers or connections; an entity without a device is one by itself. */
function deviceIdOf(config: EntityConfig, otherwise: string): string {
  const device = config.fields("device") ?? {};
  const [first] = [device["identifiers"], device["connections"]].flat();
  const id = Array.isArray(first) ? first.join(":") : first;
  return shown(
    typeof id === "string" && id !== "" ? id : (config.text("unique_id") ?? otherwise),
    LIMITS.nameCharacters,
  );
}

function build(id: string, entities: readonly Entity[]): Device {
  // Each entity may say a part of what is known of the device.
  const device: Fields = Object.assign({}, ...entities.map(({ config }) => config.fields("device")));
  const of = (key: string): string | undefined =>
    typeof device[key] === "string" ? shown(device[key], LIMITS.nameCharacters) : undefined;
  const first = entities[0] as Entity;
  const name = of("name") ?? (shown(first.config.text("name") ?? first.objectId, LIMITS.nameCharacters) || id);
  const identifiers = [device["identifiers"]].flat().filter((each): each is string => typeof each === "string");
  const availability = entities.flatMap(({ config }) => config.availability());
  return {
    id,
    name,
    maker: of("manufacturer"),
    model: of("model"),
    area: of("suggested_area"),
    aliases: identifiers,
    properties: propertiesOf(name, entities).slice(0, LIMITS.propertiesEach),
    availability: [...new Map(availability.map((each) => [each.topic, each])).values()].slice(0, MOST_AVAILABILITY),
    isAnyEnough: entities.some(({ config }) => config.text("availability_mode") === "any"),
  };
}

function propertiesOf(device: string, entities: readonly Entity[]): readonly Property[] {
  const taken = new Set<string>();
  return entities.flatMap((entity) => {
    const { config } = entity;
    const name = ownName(entity, device);
    const isExtra =
      config.has("entity_category") || (config.has("enabled_by_default") && !config.flag("enabled_by_default"));
    const drafts = COMPONENTS[entity.component]?.(config) ?? [];
    return drafts.filter(isUseful).map(({ suffix, ...rest }) => {
      const label =
        suffix === "state" ? (name ?? "state") : [name, suffix.replaceAll("_", " ")].filter(Boolean).join(" ");
      return { ...rest, key: free(keyOf(label), taken), label, isExtra };
    });
  });
}

function isUseful({ read, write }: Draft): boolean {
  return read !== undefined || write !== undefined;
}

/** Undefined of the entity that is its device's main one, and so has no name of its own. */
function ownName({ config, component, objectId }: Entity, device: string): string | undefined {
  const name = shown(config.text("name") ?? "", LIMITS.nameCharacters);
  // Some repeat the device's name in that of each entity.
  const own = name.toLowerCase().startsWith(device.toLowerCase()) ? name.slice(device.length).trim() : name;
  if (own !== "") return own;
  // A sensor that was given no name is called by what it measures; one that was given none on purpose is the main one.
  const isUnnamed = name === "" && config.payload("name", "") !== null && config.has("device");
  return isUnnamed && /sensor$/.test(component) ? (config.text("device_class") ?? objectId) : undefined;
}

function keyOf(label: string): string {
  const slug = label
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
  return slug.replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_+|_+$/g, "") || "value";
}

function free(key: string, taken: Set<string>): string {
  let [name, number] = [key, 1];
  while (taken.has(name)) name = `${key}_${++number}`;
  taken.add(name);
  return name;
}
