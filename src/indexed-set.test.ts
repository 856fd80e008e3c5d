/** A set holds each member once and forgets it at once. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../test/support/seed.ts";
import { IndexedSet } from "./indexed-set.ts";

class CheckedRequest {
  place = -1;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

describe("a set", () => {
  it("has who came and has not left, whatever the order", () => {
    const guests = Array.from({ length: 8 }, (_, index) => new CheckedRequest(String(index)));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(7)), { maxLength: 60 }), (steps) => {
        const set = new IndexedSet<CheckedRequest>();
        for (const guest of guests) guest.place = -1;
        const expected = new Set<CheckedRequest>();
        for (const [comes, index] of steps) {
          const guest = guests[index] as CheckedRequest;
          if (comes) {
            set.add(guest);
            expected.add(guest);
          } else assert.equal(set.delete(guest), expected.delete(guest));
        }
        assert.equal(set.size, expected.size);
        assert.deepEqual(new Set(set.all()), expected);
      }),
    );
  });

  it("does not mind who leaves while one looks", () => {
    const set = new IndexedSet<CheckedRequest>();
    const guests = ["a", "b", "c"].map((name) => new CheckedRequest(name));
    for (const guest of guests) set.add(guest);
    const seen: string[] = [];
    for (const guest of set.all()) {
      seen.push(guest.name);
      for (const each of guests) set.delete(each);
    }
    assert.deepEqual(seen.sort(), ["a", "b", "c"]);
    assert.equal(set.size, 0);
  });
});
