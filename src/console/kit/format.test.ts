/** Numbers and times, as the reader's language writes them. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { ago, bytes, number, span } from "./format.ts";
import { language } from "./words.ts";

afterEach(() => language.set("en"));

describe("a time span", () => {
  const spans: readonly (readonly [number, string])[] = [
    [0, "0 ms"],
    [0.1234, "0.12 ms"],
    [4.26, "4.3 ms"],
    [42.6, "43 ms"],
    [999, "999 ms"],
    [1_000, "1 s"],
    [59_940, "59.9 s"],
    [60_000, "1 min"],
    [95_500, "1 min 35 s"],
    [3_599_000, "59 min"],
    [5_400_000, "1 h 30 min"],
  ];
  for (const [ms, text] of spans) it(`of ${ms} ms is ${text}`, () => assert.equal(span(ms), text));
});

describe("a size", () => {
  it("is in the unit that says something", () => {
    assert.deepEqual([0, 999, 1_000, 1_234_567].map(bytes), ["0 B", "999 B", "1 kB", "1.2 MB"]);
  });
});

describe("a number", () => {
  it("is written as the language does", () => {
    language.set("fr");
    assert.equal(number(1_234.5, 1).replaceAll(/\s/g, " "), "1 234,5");
    language.set("en");
    assert.equal(number(1_234.5, 1), "1,234.5");
  });
});

describe("a moment", () => {
  const now = Date.parse("2026-01-02T00:00:00Z");
  it("is told by how long ago it was", () => {
    assert.equal(ago("2026-01-01T23:55:00Z", now), "5 minutes ago");
    assert.equal(ago("2025-12-31T00:00:00Z", now), "2 days ago");
    assert.equal(ago("2026-01-02T00:00:00Z", now), "now");
    language.set("es");
    assert.equal(ago("2026-01-01T23:55:00Z", now), "hace 5 minutos");
  });
});
