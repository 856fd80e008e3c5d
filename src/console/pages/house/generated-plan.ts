/**
 * A house for any lamps: rooms in rows, two rows to a corridor, and a hall that joins the corridors where there are
 * several. How wide a room is follows from what its name says it is for; the same names always give the same house.
 */
import type { Box, Door, Plan, Room, Window } from "./plan.ts";
import { kindOf, sizeOf } from "./room-kind.ts";

const NARROW = 520;
const WIDEST_ROOM = 230;
const DOOR = 36;
const LONGEST_WINDOW = 76;
/** Every room of a row has at least this share of the average width, so that none is too narrow for its name. */
const ALIKE = 0.5;

interface Measures {
  readonly leastRoom: number;
  readonly rowHeight: number;
  /** People are drawn in the first of them. */
  readonly corridor: number;
  /** Joins the corridors. */
  readonly hall: number;
}

interface Row {
  readonly names: readonly string[];
  readonly y: number;
  /** Whether its corridor is below it, or above. */
  readonly isUpper: boolean;
}

export function generatedPlan(names: readonly string[], width: number): Plan {
  const measures = measuresFor(names.length, width);
  if (names.length === 0) return emptyPlan(measures);
  const rowNames = inRows(names, width, measures);
  const pairs = Math.ceil(rowNames.length / 2);
  const left = pairs > 1 ? measures.hall : 0;
  const most = Math.max(...rowNames.map(({ length }) => length));
  const whole = Math.min(Math.max(width, left + measures.leastRoom), left + most * WIDEST_ROOM);
  const rows = rowNames.map((names, index) => rowAt(names, index, measures));
  const height = rowNames.length * measures.rowHeight + pairs * measures.corridor;
  const corridors = rows
    .filter(({ isUpper }) => isUpper)
    .map(({ y }) => ({ x: left, y: y + measures.rowHeight, width: whole - left, height: measures.corridor }));
  const rooms = rows.map((row) => roomsOf(row, left, whole, measures.rowHeight));
  return {
    width: whole,
    height,
    rooms: rooms.flat(),
    halls: left > 0 ? [{ x: 0, y: 0, width: left, height }, ...corridors] : corridors,
    doors: [...doorsOf(rows, rooms), frontDoor(corridors[0] as Box, left, height)],
    windows: rooms.flat().flatMap((room) => windowsOf(room, whole, height)),
    standing: inset(corridors[0] as Box),
  };
}

function measuresFor(count: number, width: number): Measures {
  const [isNarrow, isLarge] = [width < NARROW, count > 12];
  const ways = { corridor: 60, hall: isNarrow ? 40 : 60 };
  if (isLarge) return { leastRoom: 96, rowHeight: 108, ...ways };
  return { leastRoom: isNarrow ? 96 : 128, rowHeight: isNarrow ? 132 : 150, ...ways };
}

function emptyPlan({ rowHeight }: Measures): Plan {
  const hall = { x: 0, y: 0, width: WIDEST_ROOM + 40, height: rowHeight };
  return {
    width: hall.width,
    height: hall.height,
    rooms: [],
    halls: [hall],
    doors: [frontDoor(hall, 0, hall.height)],
    windows: [{ x: hall.width / 2, y: 0, length: LONGEST_WINDOW, along: "x" }],
    standing: inset(hall),
  };
}

/** As many rows as make the house neither a tower nor a train, and in each as many rooms as in the others. */
function inRows(names: readonly string[], width: number, { leastRoom, hall }: Measures): readonly string[][] {
  const fitting = Math.max(1, Math.floor((width - hall) / leastRoom));
  const pleasant = Math.ceil(Math.sqrt(names.length * 1.5));
  const count = Math.ceil(names.length / Math.min(fitting, pleasant));
  const start = (row: number): number => Math.round((row * names.length) / count);
  return Array.from({ length: count }, (_, row) => names.slice(start(row), start(row + 1)));
}

function rowAt(names: readonly string[], index: number, { rowHeight, corridor }: Measures): Row {
  const corridorsAbove = Math.ceil(index / 2);
  return { names, y: index * rowHeight + corridorsAbove * corridor, isUpper: index % 2 === 0 };
}

function roomsOf({ names, y }: Row, left: number, right: number, height: number): readonly Room[] {
  const kinds = names.map(kindOf);
  const all = kinds.reduce((sum, kind) => sum + sizeOf(kind), 0);
  const shares = kinds.map((kind) => ALIKE / names.length + ((1 - ALIKE) * sizeOf(kind)) / all);
  const edge = (index: number): number =>
    left + Math.round((right - left) * shares.slice(0, index).reduce((sum, share) => sum + share, 0));
  return names.map((name, index) => {
    const x = edge(index);
    return { name, kind: kinds[index] ?? "other", x, y, width: edge(index + 1) - x, height };
  });
}

function doorsOf(rows: readonly Row[], rooms: readonly (readonly Room[])[]): readonly Door[] {
  let count = 0;
  return rows.flatMap(({ isUpper }, row) =>
    (rooms[row] ?? []).map(({ x, y, width, height }): Door => {
      const place = { x: x + width - DOOR / 2 - 10, y: isUpper ? y + height : y };
      return { ...place, width: DOOR, toward: isUpper ? "down" : "up", room: count++ };
    }),
  );
}

/** The door of the house: at the end of the only corridor, or of the hall that joins several. */
function frontDoor(corridor: Box, hall: number, height: number): Door {
  if (hall > 0) return { x: hall / 2, y: height, width: DOOR, toward: "down" };
  return { x: corridor.x + corridor.width, y: corridor.y + corridor.height / 2, width: DOOR, toward: "right" };
}

function windowsOf({ x, y, width, height }: Room, right: number, bottom: number): readonly Window[] {
  const flat = { x: x + width / 2, length: Math.min(LONGEST_WINDOW, Math.round(width * 0.4)), along: "x" } as const;
  const upright = { y: y + height / 2, length: Math.min(LONGEST_WINDOW, height / 2), along: "y" } as const;
  return [
    ...(y === 0 ? [{ ...flat, y }] : []),
    ...(y + height === bottom ? [{ ...flat, y: bottom }] : []),
    ...(x === 0 ? [{ ...upright, x }] : []),
    ...(x + width === right ? [{ ...upright, x: right }] : []),
  ];
}

function inset({ x, y, width, height }: Box): Box {
  return { x: x + 16, y: y + 6, width: width - 32, height: height - 12 };
}
