/** The services of every domain: how they describe themselves, what they take and what they do. */
import type { Context } from "./context.ts";
import type { House } from "./house.ts";
import { domainOf } from "./states.ts";
import { entityServiceFaults, referenced, targetsOf } from "./targets.ts";
import {
  anything,
  type Data,
  entityIds,
  faultsOf,
  flag,
  object,
  oneOf,
  type Schema,
  text,
  wholeNumber,
} from "./voluptuous.ts";
import { forecasts } from "./weather.ts";

type ForEach = (entityId: string, data: Data, context: Context) => void;

interface Words {
  readonly name: string;
  readonly description: string;
  readonly fields?: object;
}

const BRIGHTNESS = {
  brightness: {
    selector: { number: { min: 0, max: 255 } },
    name: "Brightness value",
    description: "Number indicating brightness, where 0 turns the light off and 255 is the maximum brightness.",
  },
  brightness_pct: {
    selector: { number: { min: 0, max: 100, unit_of_measurement: "%" } },
    name: "Brightness",
    description: "Number indicating the percentage of full brightness, where 0 turns the light off.",
  },
};
const COLOURS = ["color_temp", "color_temp_kelvin", "kelvin", "hs_color", "rgb_color", "xy_color", "color_name"];
const TAKEN_AS_IT_IS = [...COLOURS, "effect", "flash", "transition", "profile", "white"];
const LIGHT_ON: Schema = {
  ...Object.fromEntries(TAKEN_AS_IT_IS.map((name) => [name, anything])),
  brightness: wholeNumber,
  brightness_pct: wholeNumber,
  brightness_step: wholeNumber,
};
const LIGHT_OFF: Schema = { transition: anything, flash: anything };
const FORECASTS = ["daily", "hourly", "twice_daily"];

export function furnish(house: House): void {
  toggles(house, "light", "one or more lights", LIGHT_ON, LIGHT_OFF, BRIGHTNESS);
  toggles(house, "switch", "a switch");
  toggles(house, "input_boolean", "the helper");
  reload(house, "input_boolean", "Reloads helpers from the YAML-configuration.", {}, () => {});
  automationServices(house);
  for (const service of ["turn_off", "turn_on", "toggle"]) generic(house, service);
  weatherService(house);
}

function reach(house: House, data: Data, domain: string): string[] {
  return targetsOf(data, domain, house.reachable, house.registries);
}

/** A service that does something to each entity it is aimed at. */
function perEntity(house: House, domain: string, name: string, words: Words, fields: Schema, each: ForEach): void {
  house.services.register(domain, name, {
    description: { fields: {}, ...words, target: { entity: [{ domain: [domain] }] } },
    check: (data) => entityServiceFaults(fields, data, house.modern),
    run: ({ data, context }) => {
      for (const id of reach(house, data, domain)) each(id, data, context);
      return undefined;
    },
  });
}

function toggles(house: House, domain: string, noun: string, on: Schema = {}, off: Schema = {}, fields = {}): void {
  const { appliances } = house;
  const turnOn = { name: "Turn on", description: `Turns on ${noun}.`, fields };
  const turnOff = { name: "Turn off", description: `Turns off ${noun}.` };
  const toggle = { name: "Toggle", description: `Toggles ${noun}.`, fields };
  perEntity(house, domain, "turn_on", turnOn, on, (id, data, context) => appliances.turn(id, true, data, context));
  perEntity(house, domain, "turn_off", turnOff, off, (id, data, context) => appliances.turn(id, false, data, context));
  perEntity(house, domain, "toggle", toggle, on, (id, data, context) => appliances.toggle(id, data, context));
}

function automationServices(house: House): void {
  const { automations, states } = house;
  const enable: ForEach = (id, _, context) => automations.enable(id, true, context);
  const disable: ForEach = (id, _, context) => automations.enable(id, false, context);
  const flip: ForEach = (id, _, context) => automations.enable(id, states.get(id)?.value !== "on", context);
  const trigger: ForEach = (id, _, context) => automations.trigger(id, context);
  const add = (name: string, label: string, description: string, fields: Schema, each: ForEach) =>
    perEntity(house, "automation", name, { name: label, description }, fields, each);
  const running = { variables: object, skip_condition: flag };
  add("trigger", "Trigger", "Triggers the actions of an automation.", running, trigger);
  add("toggle", "Toggle", "Toggles (enable / disable) an automation.", {}, flip);
  add("turn_on", "Turn on", "Enables an automation.", {}, enable);
  add("turn_off", "Turn off", "Disables an automation.", { stop_actions: flag }, disable);
  const one: Schema = house.modern ? { id: text } : {};
  const words = "Reloads the automation configuration.";
  reload(house, "automation", words, one, (context) => automations.reload(context));
}

function reload(house: House, domain: string, words: string, fields: Schema, run: (context: Context) => void): void {
  house.services.register(domain, "reload", {
    description: { name: "Reload", description: words, fields: {} },
    check: (data) => faultsOf(fields, data),
    run: ({ context }) => {
      run(context);
      return undefined;
    },
  });
}

/** Hands over to each domain that has a service of that name; here `all` is not understood. */
function generic(house: House, service: string): void {
  const words = service.replace("_", " ");
  const description = `Generic service to ${words} devices under any domain.`;
  house.services.register("homeassistant", service, {
    description: { name: `Generic ${words}`, description, fields: {}, target: { entity: [{}] } },
    check: ({ entity_id }) => (entity_id === undefined ? [] : entityIds(entity_id, ["entity_id"])),
    run: ({ data, context }) => {
      const ids = referenced(data, house.registries).sort();
      const domains = [...Map.groupBy(ids, domainOf)].filter(([domain]) => house.services.find(domain, service));
      for (const [domain, entity_id] of domains) house.services.call(domain, service, { ...data, entity_id }, context);
      return undefined;
    },
  });
}

function weatherService(house: House): void {
  const fields = { type: { required: true, selector: { select: { options: FORECASTS } }, name: "Forecast type" } };
  const target = { entity: [{ domain: ["weather"], supported_features: [1, 2, 4] }] };
  house.services.register("weather", "get_forecasts", {
    description: { name: "Get forecasts", description: "Get weather forecasts.", fields, target },
    responds: true,
    check: (data) => entityServiceFaults({ type: { required: oneOf(...FORECASTS) } }, data, house.modern),
    run: ({ data }) => forecasts(reach(house, data, "weather"), data["type"]),
  });
}
