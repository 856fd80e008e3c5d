/**
 * zigbee2mqtt's own description of its devices: `<base>/bridge/devices` lists them with what each exposes, `<base>/<name>` has
 * their states, `<base>/<name>/set` takes commands, `<base>/<name>/availability` and `<base>/bridge/state` tell who is there.
 */
import { isObject } from "../../../contract/rules.ts";
import type { Fields } from "../../shared/tool-call.ts";
import { LIMITS } from "../broker.ts";
import { isTopic, shown } from "../topics.ts";
import type { Availability, Device, Dialect, Form, Message, Property, Role } from "./device.ts";
import { within } from "./template.ts";
import { colorOf, fromPercent, numberOf, reciprocal, type Scale, toPercent } from "./units.ts";

/** What a member of `access` means. */
const TELLS = 1;
const TAKES = 2;
const MOST_DEEP = 3;

export class Zigbee2MqttDialect implements Dialect {
  readonly filters: readonly string[];
  isFull = false;
  readonly #base: string;
  #devices = new Map<string, Device>();

  constructor(base: string) {
    this.#base = base;
    this.filters = [`${base}/bridge/devices`];
  }

  isDescription(topic: string): boolean {
    return topic === this.filters[0];
  }

  take(topic: string, { json, text }: Message): boolean {
    if (!this.isDescription(topic) || !(Array.isArray(json) || text === "")) return false;
    const described = (Array.isArray(json) ? json : []).filter(isObject).filter(isUsable);
    this.isFull = described.length > LIMITS.devices;
    const devices = described.slice(0, LIMITS.devices).map((each) => this.#build(each));
    this.#devices = new Map(devices.filter(({ properties }) => properties.length > 0).map((each) => [each.id, each]));
    return true;
  }

  devices(): Iterable<Device> {
    return this.#devices.values();
  }

  #build(described: Fields): Device {
    const address = shown(String(described["ieee_address"]), LIMITS.nameCharacters);
    const friendly = String(described["friendly_name"]);
    const definition = isObject(described["definition"]) ? described["definition"] : {};
    const of = (key: string): string | undefined =>
      typeof definition[key] === "string" ? shown(definition[key], LIMITS.nameCharacters) : undefined;
    const topic = `${this.#base}/${friendly}`;
    const exposes = Array.isArray(definition["exposes"]) ? definition["exposes"].filter(isObject) : [];
    const properties = exposes.flatMap((each) => exposed(each, topic, undefined, 0));
    return {
      id: address,
      name: shown(friendly, LIMITS.nameCharacters) || address,
      maker: of("vendor"),
      model: of("model"),
      // As zigbee2mqtt identifies it to Home Assistant.
      aliases: [`zigbee2mqtt_${address}`],
      properties: [...new Map(properties.map((each) => [each.key, each])).values()].slice(0, LIMITS.propertiesEach),
      availability: [availabilityAt(`${this.#base}/bridge/state`), availabilityAt(`${topic}/availability`)],
      isAnyEnough: false,
    };
  }
}

/** The coordinator is no device that anybody uses; one whose interview goes on has not told what it is. */
function isUsable(described: Fields): boolean {
  const { ieee_address: address, friendly_name: friendly, type, disabled } = described;
  const isNamed = typeof address === "string" && typeof friendly === "string" && isTopic(friendly);
  return isNamed && type !== "Coordinator" && disabled !== true;
}

/** Newer versions write an object, older ones a word. */
function availabilityAt(topic: string): Availability {
  const isAvailable = ({ json, text }: Message): boolean | undefined => {
    const said = within(json, ["state"]) ?? text;
    return said === "online" ? true : said === "offline" ? false : undefined;
  };
  return { topic, isAvailable };
}

/** @param kind of the light, cover … that it is a feature of */
function exposed(expose: Fields, topic: string, kind: string | undefined, depth: number): readonly Property[] {
  const { type, features } = expose;
  const isGroup = Array.isArray(features) && type !== "composite" && type !== "list";
  if (isGroup && depth < MOST_DEEP)
    return features.filter(isObject).flatMap((each) => exposed(each, topic, String(type), depth + 1));
  const property = propertyOf(expose, topic, kind);
  return property ? [property] : [];
}

function propertyOf(expose: Fields, topic: string, kind: string | undefined): Property | undefined {
  const { property, name = property, label = name, access, unit, category, type } = expose;
  if (typeof property !== "string" || property === "" || typeof name !== "string") return undefined;
  const role = roleOf(name, kind, expose);
  const meaning = MEANINGS[role ?? ""]?.(expose) ?? plainly(expose);
  const [tells, takes] = [TELLS, TAKES].map((bit) => (Number(access) & bit) !== 0);
  const end = expose["endpoint"];
  const isMain = kind !== undefined && role !== undefined && STATES.has(role);
  return {
    key: shown(property, LIMITS.nameCharacters),
    label:
      isMain && end === undefined ? "state" : shown(role === "color" ? "Color" : String(label), LIMITS.nameCharacters),
    domain: kind === undefined ? domainFor(String(type), takes === true) : isKnownBy(role) ? kind : undefined,
    role,
    form: meaning.form,
    unit: meaning.unit ?? (typeof unit === "string" ? shown(unit, 20) : undefined),
    isExtra: category !== undefined || UNASKED.has(name),
    read: tells ? { topic, value: ({ json }) => readWith(meaning, within(json, [property])) } : undefined,
    write: takes ? { topic: `${topic}/set`, members: (value) => ({ [property]: meaning.write(value) }) } : undefined,
  };
}

function readWith({ read }: Meaning, value: unknown): unknown {
  return value === undefined || value === null ? undefined : read(value);
}

/** Properties that come with every message and are rarely asked for. */
const UNASKED: ReadonlySet<string> = new Set(["linkquality", "update", "last_seen"]);
const STATES: ReadonlySet<Role> = new Set<Role>(["power", "cover", "lock"]);

/** Whether a light, a cover, a lock or a thermostat is known by it, and not only has it. */
function isKnownBy(role: Role | undefined): boolean {
  return role !== undefined && (STATES.has(role) || role === "mode" || role === "temperature");
}

function roleOf(name: string, kind: string | undefined, { type, features }: Fields): Role | undefined {
  if (name === "state" && (kind === "light" || kind === "switch" || kind === "fan")) return "power";
  if (name === "state" && (kind === "cover" || kind === "lock")) return kind;
  if (kind === "light" && name === "brightness") return "brightness";
  if (kind === "light" && name === "color_temp") return "color_temp";
  if (kind === "light" && type === "composite" && Array.isArray(features) && /^color_(?:xy|hs)$/.test(name))
    return "color";
  if (kind === "cover" && (name === "position" || name === "tilt")) return name;
  if (kind === "climate" && /_setpoint$/.test(name)) return "temperature";
  if (name === "system_mode" || (kind === "fan" && /mode$/.test(name))) return "mode";
  return undefined;
}

/** What a value is to people and on the wire. */
interface Meaning {
  readonly form: Form;
  readonly unit?: string;
  read(value: unknown): unknown;
  write(value: unknown): unknown;
}

const same = (value: unknown): unknown => value;

const MEANINGS: Readonly<Record<string, (expose: Fields) => Meaning>> = {
  brightness: (expose) => percentOn({ from: 0, to: numberOf(expose["value_max"]) ?? 254 }),
  position: () => percentOn({ from: 0, to: 100 }),
  tilt: () => percentOn({ from: 0, to: 100 }),
  color_temp: ({ value_min, value_max }) => {
    const [min, max] = [reciprocal(value_max) ?? 2_000, reciprocal(value_min) ?? 6_500];
    return { form: { type: "number", min, max }, unit: "K", read: reciprocal, write: reciprocal };
  },
  color: () => ({ form: { type: "color" }, read: colorOf, write: (value) => ({ hex: value }) }),
  cover: () => ({
    form: { type: "command", commands: { open: ["open"], close: ["closed"], stop: [] } },
    read: (value) => ({ OPEN: "open", CLOSE: "closed", STOP: "stopped" })[String(value)],
    write: (value) => String(value).toUpperCase(),
  }),
  lock: (expose) => ({
    form: { type: "command", commands: { lock: ["locked"], unlock: ["unlocked"] } },
    read: (value) => (value === expose["value_on"] ? "locked" : value === expose["value_off"] ? "unlocked" : undefined),
    write: (value) => (value === "lock" ? expose["value_on"] : expose["value_off"]),
  }),
};

function percentOn(scale: Scale): Meaning {
  return {
    form: { type: "number", min: 0, max: 100 },
    unit: "%",
    read: (value) => toPercent(value, scale),
    write: (value) => fromPercent(Number(value), scale),
  };
}

const SENSOR: Meaning = { form: { type: "data" }, read: same, write: same };

function plainly(expose: Fields): Meaning {
  const { type, access, value_on: on, value_off: off } = expose;
  // What a sensor calls true is true to people: a door whose contact is true is closed.
  if (type === "binary" && typeof on === "boolean" && !(Number(access) & TAKES)) return SENSOR;
  if (type === "binary")
    return {
      form: { type: "switch" },
      read: (value) => (value === on ? true : value === off ? false : undefined),
      write: (value) => (value ? on : off),
    };
  return { form: formOf(expose), read: same, write: same };
}

function formOf({ type, values, value_min, value_max, value_step }: Fields): Form {
  if (type === "numeric") {
    const [min, max, step] = [value_min, value_max, value_step].map(numberOf);
    return {
      type: "number",
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
      ...(step !== undefined && { step }),
    };
  }
  if (type === "enum" && Array.isArray(values))
    return { type: "choice", options: values.slice(0, 200).map((each) => shown(String(each), LIMITS.nameCharacters)) };
  return type === "text" || type === "enum" ? { type: "text" } : { type: "data" };
}

/** As Home Assistant sorts them. */
function domainFor(type: string, takes: boolean): string | undefined {
  const domains: Readonly<Record<string, readonly [string, string]>> = {
    binary: ["binary_sensor", "switch"],
    numeric: ["sensor", "number"],
    enum: ["sensor", "select"],
    text: ["sensor", "text"],
  };
  return Object.hasOwn(domains, type) ? domains[type]?.[takes ? 1 : 0] : undefined;
}
