import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { CLOSED, type Ending } from "../link/ending.ts";
import { NoiseLimit } from "./noise-limit.ts";

function open() {
  const clock = new FakeClock(1_000_000);
  const lines: string[] = [];
  let ends = 0;
  const context = {
    name: "s",
    clock,
    emit: (event: { type: string; line?: string }) => void lines.push(event.line ?? ""),
    onToolsChanged: () => {},
    onNotification: () => {},
    onRequest: () => Promise.reject(new Error("not asked")),
    onLog: () => {},
  };
  return { clock, lines, ends: () => ends, noise: new NoiseLimit(context, () => ends++) };
}

describe("noise of a child", () => {
  it("is passed on, but not all of it", () => {
    const { noise, lines, ends } = open();
    for (let n = 0; n < 200; n++) noise.add(`line ${n}`);
    assert.deepEqual([lines.length, lines[0], ends()], [50, "line 0", 0]);
    const exited: Ending = { kind: "exited", code: 0, reason: "exited with code 0" };
    assert.equal(noise.ending(exited), exited);
  });

  it("ends the child once if it floods", () => {
    const { noise, ends } = open();
    for (let n = 0; n < 20_000; n++) noise.add("x");
    assert.equal(ends(), 1);
    const { kind, reason } = noise.ending(CLOSED);
    assert.equal(kind, "unfit");
    assert.match(reason, /flooded/);
  });

  it("does not add up over hours", async () => {
    const { noise, clock, ends } = open();
    for (let n = 0; n < 20; n++) {
      for (let m = 0; m < 1_000; m++) noise.add("x");
      await clock.advance(11_000);
    }
    assert.equal(ends(), 0);
  });
});
