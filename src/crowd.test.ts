/** A crowd holds each member once and forgets it at once. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../test/support/seed.ts";
import { Crowd } from "./crowd.ts";

class Guest {
  place = -1;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

describe("a crowd", () => {
  it("has who came and has not left, whatever the order", () => {
    const guests = Array.from({ length: 8 }, (_, index) => new Guest(String(index)));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(7)), { maxLength: 60 }), (steps) => {
        const crowd = new Crowd<Guest>();
        for (const guest of guests) guest.place = -1;
        const expected = new Set<Guest>();
        for (const [comes, index] of steps) {
          const guest = guests[index] as Guest;
          if (comes) {
            crowd.add(guest);
            expected.add(guest);
          } else assert.equal(crowd.delete(guest), expected.delete(guest));
        }
        assert.equal(crowd.size, expected.size);
        assert.deepEqual(new Set(crowd.all()), expected);
      }),
    );
  });

  it("does not mind who leaves while one looks", () => {
    const crowd = new Crowd<Guest>();
    const guests = ["a", "b", "c"].map((name) => new Guest(name));
    for (const guest of guests) crowd.add(guest);
    const seen: string[] = [];
    for (const guest of crowd.all()) {
      seen.push(guest.name);
      for (const each of guests) crowd.delete(each);
    }
    assert.deepEqual(seen.sort(), ["a", "b", "c"]);
    assert.equal(crowd.size, 0);
  });
});
