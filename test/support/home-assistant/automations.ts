/** Automations: what was written over REST, and the entities that a reload makes of it. */
import { isDeepStrictEqual } from "node:util";
import { ordered, partsOf } from "./automation-config.ts";
import { HomeEvent } from "./bus.ts";
import { type Context, newContext } from "./context.ts";
import type { House } from "./house.ts";
import { now, written } from "./moments.ts";
import { slug } from "./slug.ts";
import type { Attributes } from "./state.ts";
import { type Data, isObject } from "./voluptuous.ts";

interface Automation {
  readonly id: string;
  readonly entityId: string;
  config: Data;
  enabled: boolean;
  lastTriggered: number | undefined;
  current: number;
}

export class Automations {
  readonly configs = new Map<string, Data>();
  readonly #house: House;
  readonly #running = new Map<string, Automation>();

  constructor(house: House) {
    this.#house = house;
  }

  /** Answered before it is loaded, as with the real one: the entity appears a moment later. */
  write(id: string, body: Data): void {
    this.configs.set(id, ordered(id, body));
    const named = this.#house.modern ? { id } : {};
    setImmediate(() => this.#house.services.call("automation", "reload", named, newContext()));
  }

  delete(id: string): boolean {
    const automation = this.#running.get(id);
    if (!this.configs.delete(id)) return false;
    this.#running.delete(id);
    setImmediate(() => automation && this.#remove(automation.entityId));
    return true;
  }

  configOf(entityId: string): Data | undefined {
    return this.#find(entityId)?.config;
  }

  reload(context: Context): void {
    for (const [id, config] of this.configs) this.#load(id, config);
    this.#house.bus.fire(new HomeEvent("automation_reloaded", {}, context));
  }

  enable(entityId: string, enabled: boolean, context: Context): void {
    const automation = this.#find(entityId);
    if (automation) this.#write(Object.assign(automation, { enabled }), context);
  }

  /** Its actions run in a context of their own, whose parent is the call's. */
  trigger(entityId: string, parent: Context): void {
    const automation = this.#find(entityId);
    if (!automation) return;
    const context = newContext(null, parent.id);
    this.#write(Object.assign(automation, { lastTriggered: now(), current: 1 }), context);
    const name = this.#nameOf(automation);
    this.#house.bus.fire(new HomeEvent("automation_triggered", { name, entity_id: entityId }, context));
    for (const action of partsOf(automation.config, "action")) this.#act(action, context);
    this.#write(Object.assign(automation, { current: 0 }), context);
  }

  #find(entityId: string): Automation | undefined {
    return [...this.#running.values()].find((automation) => automation.entityId === entityId);
  }

  #load(id: string, config: Data): void {
    const known = this.#running.get(id);
    if (known && isDeepStrictEqual(known.config, config)) return;
    if (known) this.#putAway(known);
    const fresh = { id, entityId: "", enabled: true, lastTriggered: undefined, current: 0 };
    const automation = known ?? { ...fresh, entityId: this.#register(id, config), config };
    if (typeof config["initial_state"] === "boolean") automation.enabled = config["initial_state"];
    this.#running.set(id, automation);
    this.#write(Object.assign(automation, { config }), newContext());
  }

  /** The name is turned into an id once; a later name changes only what people read. */
  #register(id: string, config: Data): string {
    const name = String(config["alias"] ?? `automation ${this.#running.size}`);
    const wanted = `automation.${slug(name)}`;
    let entityId = wanted;
    for (let tries = 2; this.#house.states.get(entityId); tries++) entityId = `${wanted}_${tries}`;
    const registered = { platform: "automation", uniqueId: id };
    this.#house.registries.add({ id: entityId, state: "", attributes: { friendly_name: name }, registered });
    this.#house.reachable.add(entityId);
    return entityId;
  }

  #putAway(automation: Automation): void {
    const { id } = automation;
    const attributes = { restored: true, id, friendly_name: this.#nameOf(automation), supported_features: 0 };
    this.#house.states.set(automation.entityId, "unavailable", attributes);
  }

  #remove(entityId: string): void {
    this.#house.registries.remove(entityId);
    this.#house.reachable.delete(entityId);
    this.#house.states.remove(entityId);
  }

  #write(automation: Automation, context: Context): void {
    this.#house.states.set(
      automation.entityId,
      automation.enabled ? "on" : "off",
      this.#attributes(automation),
      context,
    );
  }

  #attributes(automation: Automation): Attributes {
    const { id, config, lastTriggered, current } = automation;
    return {
      id,
      last_triggered: lastTriggered === undefined ? null : written(lastTriggered),
      mode: config["mode"] ?? "single",
      current,
      friendly_name: this.#nameOf(automation),
    };
  }

  #nameOf({ config, id }: Automation): string {
    return String(config["alias"] ?? id);
  }

  /** What fails in it is only logged by the real one. */
  #act(action: Data, context: Context): void {
    const [domain, service] = String(action["action"] ?? action["service"]).split(".");
    if (!domain || !service) return;
    const data = isObject(action["data"]) ? action["data"] : {};
    const target = isObject(action["target"]) ? action["target"] : {};
    const old = action["entity_id"] === undefined ? {} : { entity_id: action["entity_id"] };
    try {
      this.#house.services.call(domain, service, { ...data, ...old }, context, { target });
    } catch {}
  }
}
