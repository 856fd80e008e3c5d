/** A set holds each member once and forgets it at once. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../test/support/seed.ts";
import { IndexedSet } from "./indexed-set.ts";

class Member {
  place = -1;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

describe("a set", () => {
  it("has who came and has not left, whatever the order", () => {
    const members = Array.from({ length: 8 }, (_, index) => new Member(String(index)));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(7)), { maxLength: 60 }), (steps) => {
        const set = new IndexedSet<Member>();
        for (const member of members) member.place = -1;
        const expected = new Set<Member>();
        for (const [comes, index] of steps) {
          const member = members[index] as Member;
          if (comes) {
            set.add(member);
            expected.add(member);
          } else assert.equal(set.delete(member), expected.delete(member));
        }
        assert.equal(set.size, expected.size);
        assert.deepEqual(new Set(set.all()), expected);
      }),
    );
  });

  it("does not mind who leaves while one looks", () => {
    const set = new IndexedSet<Member>();
    const members = ["a", "b", "c"].map((name) => new Member(name));
    for (const member of members) set.add(member);
    const seen: string[] = [];
    for (const member of set.all()) {
      seen.push(member.name);
      for (const each of members) set.delete(each);
    }
    assert.deepEqual(seen.sort(), ["a", "b", "c"]);
    assert.equal(set.size, 0);
  });
});
