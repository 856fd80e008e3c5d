/** The house as it is without any configuration, drawn by hand: once for wide screens, once for narrow ones. Tables. */
import type { Box, Plan } from "./plan.ts";
import { kindOf } from "./room-kind.ts";

type Drawn = Omit<Plan, "rooms"> & { readonly rooms: Readonly<Record<string, Box>> };

const NAMES = ["salon", "cocina", "dormitorio", "bano", "garage"] as const;
const NARROW = 520;

const WIDE_PLAN: Drawn = {
  width: 760,
  height: 520,
  rooms: {
    salon: { x: 0, y: 0, width: 400, height: 310 },
    cocina: { x: 400, y: 0, width: 360, height: 210 },
    dormitorio: { x: 0, y: 310, width: 270, height: 210 },
    bano: { x: 270, y: 310, width: 200, height: 210 },
    garage: { x: 470, y: 310, width: 290, height: 210 },
  },
  halls: [{ x: 400, y: 210, width: 360, height: 100 }],
  doors: [
    { x: 400, y: 262, width: 56, toward: "right", room: 0 },
    { x: 706, y: 210, width: 46, toward: "down", room: 1 },
    { x: 240, y: 310, width: 44, toward: "up", room: 2 },
    { x: 434, y: 310, width: 40, toward: "up", room: 3 },
    { x: 718, y: 310, width: 44, toward: "up", room: 4 },
    { x: 760, y: 260, width: 52, toward: "right" },
  ],
  windows: [
    { x: 255, y: 0, length: 130, along: "x" },
    { x: 0, y: 170, length: 120, along: "y" },
    { x: 640, y: 0, length: 90, along: "x" },
    { x: 0, y: 420, length: 90, along: "y" },
    { x: 400, y: 520, length: 50, along: "x" },
    // Wide enough for a car.
    { x: 615, y: 520, length: 190, along: "x" },
  ],
  standing: { x: 460, y: 220, width: 220, height: 80 },
};

const NARROW_PLAN: Drawn = {
  width: 360,
  height: 580,
  rooms: {
    salon: { x: 0, y: 0, width: 206, height: 190 },
    cocina: { x: 206, y: 0, width: 154, height: 190 },
    dormitorio: { x: 0, y: 262, width: 172, height: 170 },
    bano: { x: 220, y: 262, width: 140, height: 170 },
    garage: { x: 0, y: 432, width: 360, height: 148 },
  },
  halls: [
    { x: 0, y: 190, width: 360, height: 72 },
    { x: 172, y: 262, width: 48, height: 170 },
  ],
  doors: [
    { x: 172, y: 190, width: 40, toward: "down", room: 0 },
    { x: 330, y: 190, width: 38, toward: "down", room: 1 },
    { x: 172, y: 330, width: 38, toward: "right", room: 2 },
    { x: 220, y: 330, width: 38, toward: "left", room: 3 },
    { x: 196, y: 432, width: 38, toward: "up", room: 4 },
    { x: 360, y: 226, width: 46, toward: "right" },
  ],
  windows: [
    { x: 150, y: 0, length: 70, along: "x" },
    { x: 315, y: 0, length: 50, along: "x" },
    { x: 0, y: 370, length: 70, along: "y" },
    { x: 360, y: 380, length: 40, along: "y" },
    { x: 240, y: 580, length: 170, along: "x" },
  ],
  standing: { x: 16, y: 196, width: 290, height: 60 },
};

/** Whether these are the lamps of a hub without configuration, in any order. */
export function isUsual(names: readonly string[]): boolean {
  return names.length === NAMES.length && NAMES.every((name) => names.includes(name));
}

export function usualPlan(names: readonly string[], width: number): Plan {
  const drawn = width < NARROW ? NARROW_PLAN : WIDE_PLAN;
  const rooms = names.map((name) => ({ name, kind: kindOf(name), ...(drawn.rooms[name] as Box) }));
  const doors = drawn.doors.map((door) =>
    door.room === undefined ? door : { ...door, room: names.indexOf(NAMES[door.room] as string) },
  );
  return { ...drawn, rooms, doors };
}
