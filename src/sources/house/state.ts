/**
 * The simulated house as a value: its lights, alarm and presence detector. Every change makes a new house; nothing here
 * stores, waits or speaks. Field names are those of seed 000, because the whole is shown by `get_all_states`.
 */
import type { HouseConfig } from "../../config/types.ts";
import { isObject } from "../../contract/rules.ts";

export interface HouseState {
  /** Has no prototype, so that a light may bear any name, `__proto__` included. */
  readonly lights: Readonly<Record<string, boolean>>;
  readonly alarm: boolean;
  readonly presence: Presence;
}

interface Presence {
  readonly present: boolean;
  readonly known_people: readonly string[];
}

export function initialHouse(config: HouseConfig): HouseState {
  const { present, knownPeople } = config.presenceDefault;
  return {
    lights: lightsFrom(config.lights, () => false),
    alarm: config.alarmDefault,
    presence: { present, known_people: [...knownPeople] },
  };
}

/**
 * A saved house, as far as it is valid, in the shape the configuration gives now: lights it no longer names vanish, new
 * ones are off, and what is missing or broken takes its default.
 */
export function reconcile(saved: unknown, config: HouseConfig): HouseState {
  const fresh = initialHouse(config);
  if (!isObject(saved)) return fresh;
  const lights = isObject(saved["lights"]) ? saved["lights"] : {};
  const presence = isObject(saved["presence"]) ? saved["presence"] : {};
  return {
    lights: lightsFrom(config.lights, (name) => Object.hasOwn(lights, name) && lights[name] === true),
    alarm: booleanOr(saved["alarm"], fresh.alarm),
    presence: {
      present: booleanOr(presence["present"], fresh.presence.present),
      known_people: isNames(presence["known_people"]) ? presence["known_people"] : fresh.presence.known_people,
    },
  };
}

export function hasLight(state: HouseState, name: string): boolean {
  return Object.hasOwn(state.lights, name);
}

/** The same house if it has no such light. */
export function setLight(state: HouseState, name: string, on: boolean): HouseState {
  if (!hasLight(state, name)) return state;
  const lights = lightsFrom(Object.keys(state.lights), (each) => (each === name ? on : state.lights[each] === true));
  return { ...state, lights };
}

export function setAlarm(state: HouseState, armed: boolean): HouseState {
  return { ...state, alarm: armed };
}

export function setPresence(state: HouseState, people: readonly string[]): HouseState {
  return { ...state, presence: { present: true, known_people: [...people] } };
}

export function clearPresence(state: HouseState): HouseState {
  return { ...state, presence: { present: false, known_people: [] } };
}

export function lightsOn(state: HouseState): readonly string[] {
  return Object.keys(state.lights).filter((name) => state.lights[name] === true);
}

function lightsFrom(names: readonly string[], isOn: (name: string) => boolean): Readonly<Record<string, boolean>> {
  const lights = Object.create(null) as Record<string, boolean>;
  for (const name of names) lights[name] = isOn(name);
  return lights;
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function booleanOr(value: unknown, fallback: boolean): boolean {
  return typeof value === "boolean" ? value : fallback;
}
