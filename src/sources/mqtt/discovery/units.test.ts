import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { colorOf, fromPercent, hueOf, numberOf, reciprocal, rgbOf, toPercent, xyOf } from "./units.ts";

const COLORS = ["#ff0000", "#00ff00", "#0000ff", "#ffffff", "#ff8800", "#00ffff", "#ff00ff"];

describe("colours", () => {
  it("come back from red, green and blue, and from hue and saturation, as they were", () => {
    for (const color of COLORS) {
      assert.equal(colorOf(rgbOf(color)), color);
      assert.ok(distance(colorOf(hueOf(color)), color) <= 3, color);
    }
  });

  it("come back from x and y as nearly as devices have it", () => {
    for (const color of COLORS)
      assert.ok(distance(colorOf(xyOf(color)), color) <= 12, `${color} ${colorOf(xyOf(color))}`);
    assert.deepEqual(xyOf("#ff0000"), { x: 0.6401, y: 0.33 });
  });

  it("are none where numbers are missing", () => {
    for (const value of [null, "red", {}, { x: 1 }, { r: "a", g: 1, b: 1 }, []])
      assert.equal(colorOf(value), undefined);
  });
});

it("percent and back again on any scale, in either direction", () => {
  const scales = [
    { from: 0, to: 254 },
    { from: 0, to: 255 },
    { from: 100, to: 0 },
    { from: 0, to: 100 },
  ];
  for (const scale of scales) {
    for (let percent = 0; percent <= 100; percent++)
      assert.equal(toPercent(fromPercent(percent, scale), scale), percent);
  }
  assert.equal(fromPercent(0.1, { from: 0, to: 254 }), 1, "a little is not nothing");
  assert.equal(fromPercent(0, { from: 0, to: 254 }), 0);
});

it("mireds and kelvin are each other's reciprocals", () => {
  assert.deepEqual(
    [reciprocal(370), reciprocal("250"), reciprocal(0), reciprocal("x")],
    [2703, 4000, undefined, undefined],
  );
});

it("numbers are numbers, or texts that are", () => {
  assert.deepEqual(["5", " 5.5 ", "", " ", "5 W", Number.NaN, true, null].map(numberOf), [
    5,
    5.5,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

function distance(one: string | undefined, other: string): number {
  const [a, b] = [rgbOf(one ?? ""), rgbOf(other)];
  return Math.max(Math.abs(a.r - b.r), Math.abs(a.g - b.g), Math.abs(a.b - b.b));
}
