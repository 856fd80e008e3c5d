/** The house without its sockets: everything that happens in it. */
import { randomBytes } from "node:crypto";
import { Appliances } from "./appliances.ts";
import { Automations } from "./automations.ts";
import { Bus } from "./bus.ts";
import { furnish } from "./domains.ts";
import { extraSensor, FURNITURE, type Furniture } from "./furniture.ts";
import { History } from "./history.ts";
import { Registries } from "./registries.ts";
import { Services } from "./services.ts";
import type { Attributes } from "./state.ts";
import { States } from "./states.ts";
import { isModern } from "./version.ts";
import type { Data } from "./voluptuous.ts";

/** A service call as it came over the wire. */
export interface SeenCall {
  readonly domain: string;
  readonly service: string;
  readonly data: Data;
  readonly target: Data | undefined;
}

export const TIME_ZONE = "Europe/Madrid";
/** Lights tell no mireds any more. */
const LEFT_BEHIND = ["color_temp", "min_mireds", "max_mireds"];

export class House {
  readonly version: string;
  readonly modern: boolean;
  readonly userId: string = randomBytes(16).toString("hex");
  readonly bus: Bus = new Bus();
  readonly states: States;
  readonly registries: Registries;
  readonly history: History;
  readonly services: Services;
  readonly appliances: Appliances;
  readonly automations: Automations;
  /** The entities that a service can do something to. A state that a client wrote has nothing behind it. */
  readonly reachable = new Set<string>();
  readonly seen: SeenCall[] = [];
  /** The types of all commands that came. */
  readonly commands: string[] = [];
  /** Those that are not for the owner of the token. */
  readonly refused: Set<string>;

  constructor(version: string, extraSensors: number, refused: readonly string[] = []) {
    this.version = version;
    this.refused = new Set(refused);
    this.modern = isModern(version);
    this.states = new States(this.bus, this.modern);
    this.registries = new Registries(this.modern);
    this.history = new History(this.bus);
    this.services = new Services(this.bus, this.modern);
    for (const piece of FURNITURE) this.#place(piece);
    for (let number = 1; number <= extraSensors; number++) this.#place(extraSensor(number));
    this.appliances = new Appliances(this);
    this.automations = new Automations(this);
    furnish(this);
  }

  config(): object {
    return {
      latitude: 40.4,
      longitude: -3.7,
      elevation: 650,
      unit_system: {
        length: "km",
        accumulated_precipitation: "mm",
        mass: "g",
        pressure: "Pa",
        temperature: "°C",
        volume: "L",
        wind_speed: "m/s",
      },
      location_name: "Lab",
      time_zone: TIME_ZONE,
      components: [
        "api",
        "automation",
        "config",
        "demo",
        "history",
        "input_boolean",
        "light",
        "switch",
        "websocket_api",
      ],
      config_dir: "/config",
      whitelist_external_dirs: [],
      allowlist_external_dirs: [],
      allowlist_external_urls: [],
      version: this.version,
      config_source: "yaml",
      recovery_mode: false,
      state: "RUNNING",
      external_url: null,
      internal_url: null,
      currency: "EUR",
      country: null,
      language: "en",
      safe_mode: false,
      ...(this.modern && { debug: false, radius: 100 }),
    };
  }

  #place(piece: Furniture): void {
    const attributes = this.modern ? without(piece.attributes, LEFT_BEHIND) : piece.attributes;
    this.reachable.add(piece.id);
    this.registries.add(piece);
    this.states.set(piece.id, piece.state, attributes);
  }
}

function without(attributes: Attributes, names: readonly string[]): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !names.includes(name)));
}
