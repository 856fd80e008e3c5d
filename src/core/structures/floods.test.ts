/** When too much is a flood, and when it is over. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Floods } from "./floods.ts";

describe("a flood", () => {
  it("begins with a refusal, for the one who was refused", () => {
    const floods = new Floods();
    floods.note("ann", 0, false);
    assert.equal(floods.has("ann", 0), false);
    floods.note("ann", 0, true);
    assert.deepEqual([floods.has("ann", 1), floods.has("bob", 1)], [true, false]);
  });

  it("goes on while many are refused in every second", () => {
    const floods = new Floods();
    for (let now = 0; now < 10_000; now += 10) floods.note("ann", now, floods.has("ann", now) ? now % 20 === 0 : true);
    assert.equal(floods.has("ann", 10_000), true);
  });

  it("is over after a second in which few were refused", () => {
    const floods = new Floods();
    floods.note("ann", 0, true);
    for (let now = 10; now < 1_000; now += 10) floods.note("ann", now, now % 100 === 0);
    assert.equal(floods.has("ann", 1_000), false);
  });

  it("is judged by each second anew, however bad the one before was", () => {
    const floods = new Floods();
    for (let now = 0; now < 1_000; now += 10) floods.note("ann", now, true);
    assert.equal(floods.has("ann", 1_000), true);
    for (let now = 1_000; now < 2_000; now += 10) floods.note("ann", now, now % 100 === 0);
    assert.deepEqual([floods.has("ann", 1_999), floods.has("ann", 2_000)], [true, false]);
  });

  it("is over when nobody has asked for a while", () => {
    const floods = new Floods();
    floods.note("ann", 0, true);
    assert.equal(floods.has("ann", 2_001), false);
  });

  it("leaves nothing behind of those who come and go", () => {
    const floods = new Floods();
    for (let n = 0; n < 100_000; n++) floods.note(`p${n}`, n * 100, true);
    assert.equal(floods.size <= 101, true, `${floods.size}`);
  });
});
