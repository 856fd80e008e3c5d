/** The memory of the cache. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { ENTRY_BYTES, ExpiringLru } from "./expiring-lru.ts";

/** What one entry with a key of one character costs. */
const cost = (bytes: number) => bytes + 2 + ENTRY_BYTES;

describe("the expiring memory", () => {
  it("gives back what it holds, with when it came", () => {
    const memory = new ExpiringLru<string>(10_000);
    memory.set("k", "v", 1, 200, 100);
    assert.deepEqual(memory.get("k", 199), { value: "v", storedAt: 100 });
    assert.equal(memory.get("other", 199), undefined);
  });

  it("gives out nothing that has expired, and frees its room", () => {
    const memory = new ExpiringLru<string>(10_000);
    memory.set("k", "v", 1, 200, 100);
    assert.equal(memory.get("k", 200), undefined);
    assert.deepEqual([memory.bytes, memory.size], [0, 0]);
  });

  it("makes room by forgetting what was used longest ago", () => {
    const memory = new ExpiringLru<number>(3 * cost(10));
    for (const key of ["a", "b", "c"]) memory.set(key, 1, 10, 1_000, 0);
    memory.get("a", 1);
    memory.set("d", 1, 10, 1_000, 0);
    assert.deepEqual(
      ["a", "b", "c", "d"].map((key) => memory.get(key, 1) !== undefined),
      [true, false, true, true],
    );
  });

  it("keeps neither what is too large nor what comes expired, nor what they replace", () => {
    const memory = new ExpiringLru<number>(cost(10));
    memory.set("a", 1, 10, 1_000, 0);
    memory.set("a", 2, 11, 1_000, 0);
    assert.equal(memory.size, 0);
    memory.set("a", 1, 10, 1_000, 0);
    memory.set("a", 2, 10, 5, 5);
    assert.deepEqual([memory.size, memory.bytes], [0, 0]);
  });

  it("replaces without counting twice", () => {
    const memory = new ExpiringLru<number>(cost(20));
    memory.set("a", 1, 10, 1_000, 0);
    memory.set("a", 2, 20, 1_000, 0);
    assert.deepEqual([memory.size, memory.bytes, memory.get("a", 0)?.value], [1, cost(20), 2]);
  });

  it("forgets by the beginning of the key", () => {
    const memory = new ExpiringLru<number>(10_000);
    for (const key of ["house/a", "house/b", "garden/a"]) memory.set(key, 1, 1, 1_000, 0);
    assert.equal(memory.deleteWhere("house/"), 2);
    assert.equal(memory.deleteWhere("house/"), 0);
    assert.deepEqual([memory.size, memory.get("garden/a", 0)?.value], [1, 1]);
  });

  it("cannot be filled with entries that weigh nothing", () => {
    const memory = new ExpiringLru<number>(10 * ENTRY_BYTES);
    for (let i = 0; i < 1_000; i++) memory.set(`${i}`, i, 0, 1_000, 0);
    assert.ok(memory.size < 10);
  });

  it("stays within its bound and counts right, whatever happens", () => {
    const key = fc.constantFrom("a", "b", "c", "__proto__", "constructor");
    const step = fc.record({ key, bytes: fc.nat(300), life: fc.nat(20), do: fc.constantFrom("get", "set", "drop") });
    fc.assert(
      fc.property(fc.array(step), fc.nat(1_000), (steps, maxBytes) => {
        const memory = new ExpiringLru<number>(maxBytes);
        steps.forEach((one, now) => {
          if (one.do === "set") memory.set(one.key, now, one.bytes, now + one.life, now);
          else if (one.do === "drop") memory.deleteWhere(one.key);
          else assert.ok((memory.get(one.key, now)?.storedAt ?? 0) <= now);
          assert.ok(memory.bytes <= maxBytes);
        });
        memory.deleteWhere("");
        assert.deepEqual([memory.bytes, memory.size], [0, 0]);
      }),
    );
  });
});
