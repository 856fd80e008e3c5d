/** Coarse timers ring late but never early, and leave nothing behind. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { afterAbout } from "./coarse-timer.ts";

describe("a coarse timer", () => {
  for (const ms of [0, 1, 49, 120]) {
    it(`of ${ms} ms rings once, and not before`, async () => {
      const begun = performance.now();
      let rings = 0;
      await new Promise<void>((resolve) => {
        afterAbout(ms, () => {
          rings++;
          resolve();
        });
      });
      assert.ok(performance.now() - begun >= ms);
      await new Promise<void>((resolve) => void afterAbout(120, resolve));
      assert.equal(rings, 1);
    });
  }

  it("that was taken back does not ring; others of the same tick do", async () => {
    const rung: string[] = [];
    const stop = afterAbout(60, () => rung.push("taken back"));
    afterAbout(60, () => rung.push("other"));
    stop();
    stop();
    await new Promise<void>((resolve) => void afterAbout(200, resolve));
    assert.deepEqual(rung, ["other"]);
  });

  it("may set the next when it rings", async () => {
    const rung: number[] = [];
    await new Promise<void>((resolve) => {
      const ring = (): void => {
        rung.push(performance.now());
        if (rung.length === 3) resolve();
        else afterAbout(1, ring);
      };
      afterAbout(1, ring);
    });
    assert.equal(rung.length, 3);
  });

  it("rings in the order of time", async () => {
    const rung: number[] = [];
    await new Promise<void>((resolve) => {
      afterAbout(300, resolve);
      for (const ms of [220, 20, 120]) afterAbout(ms, () => rung.push(ms));
    });
    assert.deepEqual(rung, [20, 120, 220]);
  });

  it("keeps no platform timer when nothing is set", async () => {
    const { spawnSync } = await import("node:child_process");
    const file = new URL("./coarse-timer.ts", import.meta.url).href;
    const code = `import { afterAbout } from ${JSON.stringify(file)}; afterAbout(3600000, () => {})(); console.log("over");`;
    const args = ["--input-type=module", "-e", code];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 20_000 });
    assert.deepEqual([status, stdout], [0, "over\n"]);
  });
});
