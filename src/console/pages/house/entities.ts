/** Home Assistant's entities as this page shows them: what can be switched, what is read, what is found. */
import type { AreaView, EntityView, HomeView } from "../../../doors/live/views.ts";

/** What is simply on or off, and has services of these names. */
const SWITCHED: ReadonlySet<string> = new Set(["fan", "humidifier", "input_boolean", "light", "siren", "switch"]);

/** States that are said in the reader's language; any other is shown as it is. */
const KNOWN_STATES = [
  ...(["on", "off", "unavailable", "unknown", "open", "closed", "opening", "closing", "locked", "unlocked"] as const),
  ...(["home", "not_home", "idle", "playing", "paused", "standby", "heat", "cool", "auto", "disarmed"] as const),
  ...(["armed_home", "armed_away", "armed_night", "triggered"] as const),
  ...(["docked", "cleaning", "heat_cool", "streaming"] as const),
] as const;
type KnownState = (typeof KNOWN_STATES)[number];

type Reading =
  | { readonly kind: "number"; readonly value: number; readonly digits: number; readonly unit: string }
  | { readonly kind: "moment"; readonly utc: string }
  | { readonly kind: "known"; readonly state: KnownState }
  | { readonly kind: "text"; readonly text: string };

const OPEN_AT_FIRST = 40;

/** Whether an entity can be switched on and off; one that is unavailable cannot. */
export function isSwitchable({ domain, state }: EntityView): boolean {
  return SWITCHED.has(domain) && (state === "on" || state === "off");
}

export function serviceFor(id: string, on: boolean): object {
  return { domain: id.slice(0, id.indexOf(".")), service: on ? "turn_on" : "turn_off", entity_id: id };
}

export function readingOf({ state, unit = "" }: EntityView): Reading {
  const asNumber = /^-?\d{1,15}(?:\.(\d+))?$/.exec(state);
  if (asNumber) {
    return { kind: "number", value: Number(state), digits: Math.min(3, asNumber[1]?.length ?? 0), unit };
  }
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(state) && !Number.isNaN(Date.parse(state))) {
    return { kind: "moment", utc: state };
  }
  const known = KNOWN_STATES.find((each) => each === state);
  return known ? { kind: "known", state: known } : { kind: "text", text: unit === "" ? state : `${state} ${unit}` };
}

/** What can be switched comes first; otherwise the order of the home. */
export function arranged(entities: readonly EntityView[]): readonly EntityView[] {
  return [
    ...entities.filter(({ domain }) => SWITCHED.has(domain)),
    ...entities.filter(({ domain }) => !SWITCHED.has(domain)),
  ];
}

export function countOn(entities: readonly EntityView[]): number {
  return entities.filter((entity) => isSwitchable(entity) && entity.state === "on").length;
}

/** Areas with those entities that have all the words in their names; an area's own name counts for each of them. */
export function matching(areas: readonly AreaView[], text: string): readonly AreaView[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return areas;
  return areas.flatMap((area) => {
    const isMeant = ({ id, name }: EntityView): boolean => {
      const all = `${area.name} ${name} ${id}`.toLowerCase();
      return words.every((word) => all.includes(word));
    };
    const entities = area.entities.filter(isMeant);
    return entities.length > 0 ? [{ ...area, entities }] : [];
  });
}

/** Which areas are open until somebody opens or closes one: the first, as far as one can look at them. */
export function openAtFirst(areas: readonly AreaView[]): ReadonlySet<string | null> {
  let count = 0;
  const fitting = areas.filter(({ entities }) => {
    count += entities.length;
    return count <= OPEN_AT_FIRST;
  });
  return new Set((fitting.length > 0 ? fitting : areas.slice(0, 1)).map(({ id }) => id));
}

/** Undefined where there is no such entity. */
export function stateOf(homes: readonly HomeView[], name: string, id: string): string | undefined {
  const home = homes.find((one) => one.name === name);
  return home?.areas.flatMap(({ entities }) => entities).find((entity) => entity.id === id)?.state;
}
