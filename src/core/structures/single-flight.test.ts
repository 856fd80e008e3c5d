/** Identical reads in flight are one call. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CancelSignal } from "../../light-abort.ts";
import { SingleFlight } from "./single-flight.ts";

/** Work that ends when the test says so. */
function makeWork() {
  const gate = Promise.withResolvers<string>();
  const signals: CancelSignal[] = [];
  const start = (signal: CancelSignal) => {
    signals.push(signal);
    return gate.promise;
  };
  return { start, signals, finish: gate.resolve, fail: gate.reject };
}

const free = () => new AbortController().signal;

describe("single flight", () => {
  it("starts the work once and gives everybody the result", async () => {
    const flights = new SingleFlight<string>();
    const work = makeWork();
    const all = [1, 2, 3].map(() => flights.run("k", work.start, free()));
    work.finish("done");
    assert.deepEqual(await Promise.all(all), ["done", "done", "done"]);
    assert.equal(work.signals.length, 1);
    assert.equal(work.signals[0]?.aborted, false);
    assert.equal(flights.size, 0);
  });

  it("gives everybody the failure, and forgets it", async () => {
    const flights = new SingleFlight<string>();
    const work = makeWork();
    const all = [1, 2].map(() => flights.run("k", work.start, free()));
    work.fail(new Error("no"));
    for (const one of all) await assert.rejects(one, /no/);
    assert.equal(await flights.run("k", async () => "again", free()), "again");
  });

  it("treats work that throws at once like work that fails", async () => {
    const flights = new SingleFlight<string>();
    const start = () => {
      throw new Error("at once");
    };
    await assert.rejects(flights.run("k", start, free()), /at once/);
    assert.equal(flights.size, 0);
  });

  it("keeps different keys apart, and starts anew once it has ended", async () => {
    const flights = new SingleFlight<string>();
    const [first, second] = await Promise.all([
      flights.run("a", async () => "A", free()),
      flights.run("b", async () => "B", free()),
    ]);
    assert.deepEqual([first, second], ["A", "B"]);
    assert.equal(await flights.run("a", async () => "A2", free()), "A2");
  });

  it("lets one leave with its own reason, first or follower, without disturbing the others", async () => {
    for (const leaver of [0, 1]) {
      const flights = new SingleFlight<string>();
      const work = makeWork();
      const controls = [new AbortController(), new AbortController()];
      const all = controls.map((control) => flights.run("k", work.start, control.signal));
      const reason = new Error("I leave");
      controls[leaver]?.abort(reason);
      await assert.rejects(all[leaver] as Promise<string>, (error) => error === reason);
      assert.equal(work.signals[0]?.aborted, false);
      work.finish("done");
      assert.equal(await all[1 - leaver], "done");
    }
  });

  it("ends the work when the last one has left, and lets nobody join it then", async () => {
    const flights = new SingleFlight<string>();
    const work = makeWork();
    const controls = [new AbortController(), new AbortController()];
    const all = controls.map((control) => flights.run("k", work.start, control.signal));
    for (const control of controls) control.abort(new Error("gone"));
    for (const one of all) await assert.rejects(one, /gone/);
    assert.equal(work.signals[0]?.aborted, true);
    const fresh = makeWork();
    const next = flights.run("k", fresh.start, free());
    // The old work ends late: it must neither count for the new one nor throw it out.
    work.fail(new Error("late"));
    await new Promise((resolve) => setImmediate(resolve));
    const joined = flights.run("k", work.start, free());
    fresh.finish("fresh");
    assert.deepEqual(await Promise.all([next, joined]), ["fresh", "fresh"]);
  });

  it("starts nothing for one that has left already", async () => {
    const flights = new SingleFlight<string>();
    const work = makeWork();
    await assert.rejects(flights.run("k", work.start, AbortSignal.abort(new Error("before"))), /before/);
    assert.equal(work.signals.length, 0);
  });

  it("does not end work that has ended when somebody leaves afterwards", async () => {
    const flights = new SingleFlight<string>();
    const work = makeWork();
    const control = new AbortController();
    const run = flights.run("k", work.start, control.signal);
    work.finish("done");
    await run;
    control.abort();
    assert.equal(work.signals[0]?.aborted, false);
  });
});
