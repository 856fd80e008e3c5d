/** What can be turned on and off, and what a light shows while it is on. */
import type { Context } from "./context.ts";
import { FURNITURE, LAMP, LAMP_SWITCH } from "./furniture.ts";
import type { House } from "./house.ts";
import type { Attributes, State } from "./state.ts";
import { domainOf } from "./states.ts";
import type { Data } from "./voluptuous.ts";

/** A light that is off has all of them, with null. */
const GLOWING = ["effect", "color_mode", "brightness", "color_temp_kelvin", "color_temp", "hs_color", "rgb_color"];
const GLOW = new Set([...GLOWING, "xy_color", "rgbw_color", "rgbww_color"]);

export class Appliances {
  readonly #house: House;
  /** How a light looked when it was last on. */
  readonly #glow = new Map(FURNITURE.flatMap(({ id, glow }) => (glow ? [[id, glow]] : [])));

  constructor(house: House) {
    this.#house = house;
    // The template of the lamp: it follows its switch, with the context of whoever turned that.
    house.bus.onStateChange(({ entityId, after, context }) => {
      if (entityId === LAMP_SWITCH) this.#show(LAMP, after?.value === "on", {}, context);
    });
  }

  toggle(entityId: string, data: Data, context: Context): void {
    this.turn(entityId, this.#house.states.get(entityId)?.value !== "on", data, context);
  }

  turn(entityId: string, on: boolean, data: Data, context: Context): void {
    if (this.#house.states.get(entityId)?.value === "unavailable") return;
    const asked = wanted(data);
    if (entityId !== LAMP) return void this.#show(entityId, on && asked["brightness"] !== 0, asked, context);
    const service = on ? "turn_on" : "turn_off";
    this.#house.services.call(domainOf(LAMP_SWITCH), service, { entity_id: [LAMP_SWITCH] }, context);
  }

  #show(entityId: string, on: boolean, data: Data, context: Context): void {
    const state = this.#house.states.get(entityId);
    if (!state) return;
    const isLight = domainOf(entityId) === "light";
    const attributes = isLight ? (on ? this.#lit(state, data) : this.#dark(state)) : state.attributes;
    this.#house.states.set(entityId, on ? "on" : "off", attributes, context);
  }

  #lit({ entityId, attributes, value }: State, data: Data): Attributes {
    const asked = Object.entries(data).filter(([name]) => name in attributes && GLOW.has(name));
    const glow = value === "on" ? {} : only(this.#glow.get(entityId) ?? {}, Object.keys(attributes));
    return { ...attributes, ...glow, ...Object.fromEntries(asked) };
  }

  #dark({ entityId, attributes, value }: State): Attributes {
    const glow = only(attributes, [...GLOW]);
    if (value === "on") this.#glow.set(entityId, glow);
    return { ...attributes, ...Object.fromEntries(Object.keys(glow).map((name) => [name, null])) };
  }
}

/** A brightness is pressed into its range, not refused. */
function wanted(data: Data): Data {
  const percent = data["brightness_pct"];
  const brightness =
    data["brightness"] ?? (percent !== undefined ? Math.round((Number(percent) * 255) / 100) : undefined);
  return brightness === undefined ? data : { ...data, brightness: Math.min(255, Math.max(0, Number(brightness))) };
}

function only(attributes: Attributes, names: readonly string[]): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => names.includes(name)));
}
