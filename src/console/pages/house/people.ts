/** Who is in the house: where they are drawn, how they are called in short, and how a list of them is changed. */
import type { HouseView } from "../../../doors/live/views.ts";
import type { Box } from "./plan.ts";

export interface Figure {
  readonly x: number;
  readonly y: number;
  /** Empty for somebody of whom nothing is known. */
  readonly name: string;
  /** How many more there are than are drawn; only the last has any. */
  readonly more: number;
}

const ROOM_FOR_ONE = 62;

/** A presence detector may know that somebody is there without knowing who. */
export function namesOf({ present, known_people }: HouseView["presence"]): readonly string[] {
  return present ? known_people : [];
}

/** Side by side, as many as there is room for. */
export function figuresIn(place: Box, { present, known_people }: HouseView["presence"]): readonly Figure[] {
  if (!present) return [];
  const names = known_people.length > 0 ? known_people : [""];
  const shown = Math.min(names.length, Math.max(1, Math.floor(place.width / ROOM_FOR_ONE)));
  const step = Math.min(place.width / shown, ROOM_FOR_ONE * 1.4);
  const first = place.x + (place.width - step * (shown - 1)) / 2;
  return names.slice(0, shown).map((name, index) => {
    const more = index === shown - 1 ? names.length - shown : 0;
    return { x: first + index * step, y: place.y + place.height / 2, name, more };
  });
}

/** Those of whom nobody knows yet that they are here, written with commas between them. */
export function withMore(known: readonly string[], written: string): readonly string[] {
  const names = written.split(/[,;，、；]/).map((name) => name.trim());
  return [...new Set([...known, ...names])].filter((name) => name !== "");
}
