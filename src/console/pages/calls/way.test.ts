import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { barsOf } from "./way.ts";

const STEPS = [
  { name: "authorize", atMs: 0, ms: 2 },
  { name: "queue", atMs: 2, ms: 48 },
  { name: "dispatch", atMs: 50, ms: 50 },
];

describe("the way of a call as bars", () => {
  it("places each on the common time line", () => {
    const bars = barsOf({ steps: STEPS, retries: [] }, 100);
    assert.deepEqual(
      bars.map(({ name, left, width }) => [name, left, width]),
      [
        ["authorize", 0, 0.02],
        ["queue", 0.02, 0.48],
        ["dispatch", 0.5, 0.5],
      ],
    );
  });

  it("lets the last step grow while the call is under way", () => {
    const [, queue, dispatch] = barsOf({ steps: STEPS, retries: [] }, 200);
    assert.deepEqual([queue?.ms, queue?.width], [48, 0.24]);
    assert.deepEqual([dispatch?.ms, dispatch?.left, dispatch?.width], [150, 0.25, 0.75]);
  });

  it("shows each attempt, and each pause before the next", () => {
    const retries = [
      { attempt: 2, atMs: 60, delayMs: 10 },
      { attempt: 3, atMs: 75, delayMs: 5 },
    ];
    const bars = barsOf({ steps: STEPS, retries }, 100);
    assert.deepEqual(
      bars.slice(3).map(({ kind, attempt, atMs, ms }) => [kind, attempt, atMs, ms]),
      [
        ["attempt", 1, 50, 10],
        ["pause", 2, 60, 10],
        ["attempt", 2, 70, 5],
        ["pause", 3, 75, 5],
        ["attempt", 3, 80, 20],
      ],
    );
  });

  it("shows no attempt that has not begun", () => {
    const bars = barsOf({ steps: STEPS, retries: [{ attempt: 2, atMs: 90, delayMs: 500 }] }, 100);
    assert.deepEqual(
      bars.slice(3).map(({ kind, attempt, ms }) => [kind, attempt, ms]),
      [
        ["attempt", 1, 40],
        ["pause", 2, 10],
      ],
    );
  });

  it("is nothing where nothing was kept, and flat where no time passed", () => {
    assert.deepEqual(barsOf({ steps: [], retries: [] }, 100), []);
    const [bar] = barsOf({ steps: [{ name: "authorize", atMs: 0, ms: 0 }], retries: [] }, 0);
    assert.deepEqual([bar?.left, bar?.width], [0, 0]);
  });

  it("never leaves the line", () => {
    for (const { left, width } of barsOf({ steps: STEPS, retries: [] }, 10)) {
      assert.ok(left >= 0 && width >= 0 && left + width <= 1 + 1e-9);
    }
  });
});
