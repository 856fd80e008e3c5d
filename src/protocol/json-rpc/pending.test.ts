/** Those who wait are found by their ids, however many come and go. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { Pending } from "./pending.ts";

describe("those who wait for answers", () => {
  it("get ids from 1 on, one after the other", () => {
    const pending = new Pending<string>();
    const ids = ["a", "b", "c"].map((name) => {
      const id = pending.reserve();
      pending.put(id, name);
      return id;
    });
    assert.deepEqual(ids, [1, 2, 3]);
    assert.deepEqual(pending.ids(), [1, 2, 3]);
  });

  it("are found once, and by no other id", () => {
    const pending = new Pending<string>();
    const id = pending.reserve();
    pending.put(id, "a");
    for (const other of [0, -1, 2, id + 64, id + 128, Number.NaN, 1.5, 2 ** 40]) {
      assert.equal(pending.take(other), undefined);
    }
    assert.equal(pending.get(id), "a");
    assert.equal(pending.take(id), "a");
    assert.equal(pending.take(id), undefined);
    assert.equal(pending.size, 0);
  });

  it("keep their ids while thousands come and go around one that takes long", () => {
    const pending = new Pending<number>();
    const long = pending.reserve();
    pending.put(long, -1);
    const seen = new Set([long]);
    for (let round = 0; round < 5_000; round++) {
      const id = pending.reserve();
      assert.ok(!seen.has(id));
      seen.add(id);
      pending.put(id, round);
      assert.equal(pending.take(id), round);
    }
    assert.equal(pending.take(long), -1);
  });

  it("are as a Map would have them", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3), { maxLength: 400 }), (steps) => {
        const pending = new Pending<number>();
        const expected = new Map<number, number>();
        for (const [index, step] of steps.entries()) {
          const [oldest] = expected.keys();
          if (step > 0 || oldest === undefined) {
            const id = pending.reserve();
            pending.put(id, index);
            expected.set(id, index);
          } else {
            assert.equal(pending.take(oldest), expected.get(oldest));
            expected.delete(oldest);
          }
        }
        assert.deepEqual(pending.ids(), [...expected.keys()]);
        for (const [id, value] of expected) assert.equal(pending.get(id), value);
        assert.equal(pending.size, expected.size);
      }),
    );
  });
});
