import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Box, type Door, type Plan, planOf } from "./plan.ts";

const USUAL = ["salon", "cocina", "dormitorio", "bano", "garage"];
const SOME_KINDS = ["kitchen", "bathroom", "living room", "café ☕", "__proto__", "7", "Zimmer mit sehr langem Namen"];
const WIDTHS = [200, 280, 360, 519, 520, 760, 1_100];

function lamps(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${SOME_KINDS[index % SOME_KINDS.length]} ${index}`);
}

function eachPlan(check: (plan: Plan, names: readonly string[], width: number) => void): void {
  const houses = [USUAL, [...USUAL].reverse(), ...Array.from({ length: 65 }, (_, count) => lamps(count))];
  for (const names of houses) for (const width of WIDTHS) check(planOf(names, width), names, width);
}

describe("the plan of a house", () => {
  test("has one room for each lamp, in their order", () => {
    eachPlan(({ rooms }, names) =>
      assert.deepEqual(
        rooms.map(({ name }) => name),
        names,
      ),
    );
  });

  test("is filled by rooms and halls, which share no ground", () => {
    eachPlan((plan, names, width) => {
      const boxes = [...plan.rooms, ...plan.halls];
      const where = `${names.length} lamps in ${width}`;
      // A hall that joins corridors begins where they end.
      assert.equal(sum(boxes.map(area)), plan.width * plan.height, where);
      for (const box of boxes) assert.ok(isInside(box, plan), `${where}: ${JSON.stringify(box)}`);
      for (const [index, one] of boxes.entries()) {
        for (const other of boxes.slice(index + 1)) assert.ok(!overlaps(one, other), where);
      }
    });
  });

  test("leads from every room through a door into a hall, or through another room", () => {
    eachPlan((plan, names) => {
      for (const [index, room] of plan.rooms.entries()) {
        const doors = plan.doors.filter((door) => door.room === index);
        assert.equal(doors.length, 1, `${names[index]} of ${names.length}`);
        const [door] = doors as [Door];
        assert.ok(holds(room, behind(door)), `the door of ${names[index]} is in its own wall`);
        const others = [...plan.halls, ...plan.rooms.filter((other) => other !== room)];
        assert.ok(
          others.some((other) => holds(other, before(door))),
          `the door of ${names[index]} leads somewhere`,
        );
      }
    });
  });

  test("has one door to the street, in an outer wall of a hall", () => {
    eachPlan((plan) => {
      const [door, ...more] = plan.doors.filter(({ room }) => room === undefined);
      assert.ok(door && more.length === 0);
      assert.ok(plan.halls.some((hall) => holds(hall, behind(door))));
      assert.ok(!holds({ x: 0, y: 0, width: plan.width, height: plan.height }, before(door)));
    });
  });

  test("has windows in outer walls alone, none over a door", () => {
    eachPlan((plan) => {
      for (const { x, y, along } of plan.windows) {
        assert.ok(along === "x" ? y === 0 || y === plan.height : x === 0 || x === plan.width);
        assert.ok(!plan.doors.some((door) => door.x === x && door.y === y));
      }
    });
  });

  test("fits the screen, with rooms that have space for a name", () => {
    eachPlan((plan, names, width) => {
      const isDrawnByHand = plan.rooms.length === USUAL.length && names.includes("salon");
      if (!isDrawnByHand) assert.ok(plan.width <= Math.max(width, 270), `${names.length} lamps in ${width}`);
      for (const room of plan.rooms) assert.ok(room.width >= 68 && room.height >= 90, JSON.stringify(room));
    });
  });

  test("has a place for people inside", () => {
    eachPlan((plan) => assert.ok(isInside(plan.standing, plan) && plan.standing.width > 60));
  });

  test("is the same for the same names, whatever the day", () => {
    assert.deepEqual(planOf(lamps(17), 700), planOf(lamps(17), 700));
  });

  test("is drawn by hand for the usual lamps, as a tall one where there is no space for the wide one", () => {
    const [wide, tall] = [planOf(USUAL, 900), planOf(USUAL, 340)];
    assert.ok(wide.width > wide.height && tall.height > tall.width);
    const salon = (plan: Plan): unknown => plan.rooms.find(({ name }) => name === "salon");
    assert.deepEqual(salon(planOf([...USUAL].reverse(), 900)), salon(wide));
    assert.notDeepEqual(planOf([...USUAL.slice(1), "attic"], 900).halls, wide.halls);
  });

  test("gives a living room more than a bathroom", () => {
    const { rooms } = planOf(["bathroom", "living room"], 760);
    assert.ok((rooms[1]?.width ?? 0) > (rooms[0]?.width ?? 0) * 1.2);
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

function area({ width, height }: Box): number {
  return width * height;
}

function isInside({ x, y, width, height }: Box, plan: Plan): boolean {
  return x >= 0 && y >= 0 && x + width <= plan.width && y + height <= plan.height;
}

function overlaps(one: Box, other: Box): boolean {
  const isBeside = one.x + one.width <= other.x || other.x + other.width <= one.x;
  const isBelow = one.y + one.height <= other.y || other.y + other.height <= one.y;
  return !isBeside && !isBelow;
}

interface Span {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
}

const OUT = { up: [0, -1], right: [1, 0], down: [0, 1], left: [-1, 0] } as const;

/** The whole width of the opening, one step to the side where it leads. */
function before({ x, y, width, toward }: Door): Span {
  const [dx, dy] = OUT[toward];
  const [sx, sy] = [Math.abs(dy) * (width / 2), Math.abs(dx) * (width / 2)];
  return { from: [x + dx - sx, y + dy - sy], to: [x + dx + sx, y + dy + sy] };
}

function behind(door: Door): Span {
  const [dx, dy] = OUT[door.toward];
  return before({ ...door, x: door.x - 2 * dx, y: door.y - 2 * dy });
}

function holds({ x, y, width, height }: Box, { from, to }: Span): boolean {
  return from[0] >= x && from[1] >= y && to[0] <= x + width && to[1] <= y + height;
}
