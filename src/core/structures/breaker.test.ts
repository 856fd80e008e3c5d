/** When a source counts as silent, and how it comes back. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { Breaker } from "./breaker.ts";

describe("the breaker of a source", () => {
  it("lets four failures in a row pass, and asks the source after the fifth", async () => {
    const { breaker, probes } = open({ answers: false });
    fail(breaker, 4);
    assert.equal(probes.length, 0);
    breaker.failed();
    await settle();
    assert.deepEqual([probes.length, breaker.isOpen], [1, true]);
  });

  it("stays closed where the source answers when asked: its tool is only slow", async () => {
    const { breaker, probes } = open({ answers: true });
    fail(breaker, 5);
    await settle();
    assert.deepEqual([probes.length, breaker.isOpen], [1, false]);
    fail(breaker, 4);
    assert.equal(probes.length, 1, "it starts counting anew");
  });

  it("counts from the start after a success", async () => {
    const { breaker, probes } = open({ answers: false });
    fail(breaker, 4);
    breaker.succeeded();
    fail(breaker, 4);
    await settle();
    assert.deepEqual([probes.length, breaker.isOpen], [0, false]);
  });

  it("opens where more than half of twenty fail within ten seconds", async () => {
    const { breaker } = open({ answers: false });
    for (let n = 0; n < 11; n++) {
      breaker.failed();
      if (n < 9) breaker.succeeded();
    }
    await settle();
    assert.equal(breaker.isOpen, true);
  });

  it("forgets failures that are older than its window", async () => {
    const { breaker, clock } = open({ answers: false });
    for (let n = 0; n < 30; n++) {
      breaker.failed();
      breaker.succeeded();
      await clock.advance(1_100);
    }
    assert.equal(breaker.isOpen, false);
  });

  it("asks again after a pause that grows, once each time, and closes when it is answered", async () => {
    const world = open({ answers: false });
    const { breaker, clock, probes } = world;
    fail(breaker, 5);
    await clock.advance(0);
    await clock.advance(5_000);
    assert.equal(probes.length, 2);
    await clock.advance(5_000);
    assert.equal(probes.length, 2, "the second pause is longer");
    world.answers = true;
    await clock.advance(5_000);
    assert.deepEqual([probes.length, breaker.isOpen, world.changes], [3, false, [true, false]]);
    assert.equal(clock.pending, 0);
  });

  it("closes at once where the source is known to live again, and leaves no timer", async () => {
    const { breaker, clock, changes } = open({ answers: false });
    fail(breaker, 5);
    await settle();
    breaker.close();
    assert.deepEqual([breaker.isOpen, changes, clock.pending], [false, [true, false], 0]);
  });

  it("tells how long it will be until it asks again", async () => {
    const { breaker, clock } = open({ answers: false });
    fail(breaker, 5);
    await settle();
    assert.equal(breaker.retryAfterMs, 5_000);
    await clock.advance(2_000);
    assert.equal(breaker.retryAfterMs, 3_000);
  });
});

function open({ answers }: { answers: boolean }) {
  const clock = new FakeClock();
  const world = { clock, answers, probes: [] as number[], changes: [] as boolean[] };
  const probe = (limitMs: number): Promise<void> => {
    world.probes.push(limitMs);
    return world.answers ? Promise.resolve() : Promise.reject(new Error("silent"));
  };
  const onChange = (isOpen: boolean): number => world.changes.push(isOpen);
  return Object.assign(world, { breaker: new Breaker({ clock, random: () => 0.5, probe, onChange }) });
}

function fail(breaker: Breaker, times: number): void {
  for (let n = 0; n < times; n++) breaker.failed();
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
