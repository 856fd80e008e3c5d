/** What every implementation of the port `ReplayLogs` promises. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ReplayLogs } from "../../../src/core/shared/replay-log.ts";

export function describeReplayLogs(name: string, open: () => ReplayLogs): void {
  describe(`replay logs: ${name}`, () => {
    const texts = (log: ReturnType<ReturnType<ReplayLogs["ofSession"]>["open"]>, after: number) =>
      log.after(after).map(({ number, text }) => [number, text]);

    it("give what came after a number, in order and as it was said", () => {
      const log = open().ofSession("s").open("a");
      for (const [index, text] of ["a", '{"b": 1.0}', "ñ"].entries()) log.keep(index + 1, text);
      assert.equal(log.size, 3);
      assert.deepEqual(texts(log, 1), [
        [2, '{"b": 1.0}'],
        [3, "ñ"],
      ]);
      assert.deepEqual(texts(log, 3), []);
    });

    it("keep each stream apart, of one session and of several", () => {
      const logs = open();
      const session = logs.ofSession("s");
      const all = [session.open("a"), session.open("b"), logs.ofSession("t").open("c")];
      for (const [index, log] of all.entries()) log.keep(1, `${index}`);
      assert.deepEqual(
        all.map((log) => texts(log, 0)),
        [[[1, "0"]], [[1, "1"]], [[1, "2"]]],
      );
    });

    it("keep nothing of a stream that is closed", () => {
      const log = open().ofSession("s").open("a");
      log.keep(1, "a");
      log.close();
      log.keep(2, "b");
      assert.deepEqual([log.size, log.after(0)], [0, []]);
    });

    it("are bounded, and keep what is newest", () => {
      const log = open().ofSession("s").open("a");
      for (let n = 1; n <= 5_000; n++) log.keep(n, "x".repeat(1_000));
      assert.ok(log.size < 5_000, `${log.size}`);
      assert.equal(log.after(4_999).length, 1);
    });
  });
}
