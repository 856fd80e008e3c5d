/**
 * The floor plan of a house of which only the names of its lamps are known: one room for each. The house that everybody
 * has at first is drawn by hand; any other is made up. Lengths are in pixels of the screen as it was measured.
 */
import { generatedPlan } from "./generated-plan.ts";
import type { RoomKind } from "./room-kind.ts";
import { isUsual, usualPlan } from "./usual-plan.ts";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Room extends Box {
  readonly name: string;
  readonly kind: RoomKind;
}

export type Side = "up" | "right" | "down" | "left";

/** A door; `x` and `y` are the middle of its opening. */
export interface Door {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Where somebody goes who leaves the room by it; light falls out that way. */
  readonly toward: Side;
  /** The room's place in the list; none for the door of the house. */
  readonly room?: number | undefined;
}

export interface Window {
  readonly x: number;
  readonly y: number;
  readonly length: number;
  readonly along: "x" | "y";
}

export interface Plan {
  readonly width: number;
  readonly height: number;
  /** In the order of the names. */
  readonly rooms: readonly Room[];
  /** What belongs to no lamp: halls and corridors. */
  readonly halls: readonly Box[];
  readonly doors: readonly Door[];
  readonly windows: readonly Window[];
  /** Where people are drawn: nobody knows in which room they are. */
  readonly standing: Box;
}

/** @param width the most that the plan may have */
export function planOf(names: readonly string[], width: number): Plan {
  return isUsual(names) ? usualPlan(names, width) : generatedPlan(names, width);
}

/** Around the house: its outer walls reach there, and an armed alarm is drawn there. */
export const MARGIN = 18;

/** Where a box lies that is laid over the plan, in shares of the whole: the plan may be drawn smaller than it is. */
export function placeOf(
  { x, y, width, height }: Box,
  plan: Plan,
): Readonly<Record<"left" | "top" | "width" | "height", string>> {
  const [wide, high] = [plan.width + 2 * MARGIN, plan.height + 2 * MARGIN];
  return {
    left: part(x + MARGIN, wide),
    top: part(y + MARGIN, high),
    width: part(width, wide),
    height: part(height, high),
  };
}

function part(length: number, whole: number): string {
  return `${Math.round((length / whole) * 1e5) / 1e3}%`;
}
