import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { operationIds } from "./document.ts";

const FIT = /^[A-Za-z0-9_-]{1,64}$/;
const of = (...names: string[]): string[] => names.map((name) => operationIds(names).get(name) ?? "");

describe("the ids of operations", () => {
  it("are the names of tools where these fit", () => {
    assert.deepEqual(of("get_light", "a-b", "__proto__", "constructor"), [
      "get_light",
      "a-b",
      "__proto__",
      "constructor",
    ]);
  });

  it("stay readable where they do not", () => {
    assert.deepEqual(of("home.light on", "café", "灯", "..", ""), ["home_light_on", "caf_", ...of("灯", "..", "")]);
    assert.equal(of("灯")[0], "tool");
    assert.equal(of("x".repeat(100))[0], "x".repeat(64));
  });

  it("leave a name to the tool that bears it, whatever comes before", () => {
    const [altered, own] = of("home.light", "home_light");
    assert.equal(own, "home_light");
    assert.match(altered ?? "", /^home_light_[0-9a-f]{8}$/);
  });

  it("depend on no other tool once they are taken", () => {
    const [, second] = of("a.b", "a/b");
    const [, , again] = of("z", "a b", "a/b");
    assert.match(second ?? "", /^a_b_[0-9a-f]{8}$/);
    assert.equal(again, second);
  });

  it("give way to a name that looks like one of them", () => {
    const [, made = ""] = of("a.b", "a/b");
    assert.equal(of("a.b", "a/b", made)[1], `${made}_2`);
  });

  it("are fit and unlike, whatever the names are", () => {
    const name = fc.oneof(fc.string({ unit: "binary", maxLength: 80 }), fc.constantFrom("a.b", "a_b", "a/b", "a b"));
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 30 }), (names) => {
        const ids = [...operationIds(names).values()];
        assert.equal(new Set(ids).size, names.length);
        for (const id of ids) assert.match(id, FIT);
      }),
    );
  });
});
