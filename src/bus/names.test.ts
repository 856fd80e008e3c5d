/** Names of nodes and clusters: whatever is let through makes exactly one NATS subject. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { BusError } from "./bus-error.ts";
import { isNodeName, Subjects } from "./names.ts";

describe("the name of a node", () => {
  it("is lower-case letters, digits, - and _", () => {
    for (const name of ["garage", "a", "node-1", "a_b", "0", "x".repeat(32)]) assert.ok(isNodeName(name), name);
  });

  it("is nothing that NATS takes for several subjects, or for none", () => {
    const bad = ["", "a.b", "*", ">", "a b", "a\n", "-a", "a-", "Garage", "ñ", "$SYS", "x".repeat(33)];
    for (const name of bad) assert.ok(!isNodeName(name), name);
  });

  it("makes one subject of three tokens, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (name) => {
        fc.pre(isNodeName(name));
        assert.match(new Subjects("zaguan", name).own, /^zaguan\.n\.[^.*>\s]+$/);
      }),
    );
  });
});

describe("the subjects of a cluster", () => {
  it("begin with its prefix, which may have several parts", () => {
    const subjects = new Subjects("home.zaguan", "garage");
    assert.deepEqual(
      [subjects.own, subjects.all, subjects.of("attic")],
      ["home.zaguan.n.garage", "home.zaguan.all", "home.zaguan.n.attic"],
    );
  });

  it("are not made of a prefix or a name that is not valid", () => {
    for (const [prefix, node] of [
      ["", "a"],
      ["a..b", "a"],
      ["a.", "a"],
      ["a.*", "a"],
      ["$SYS", "a"],
      ["x".repeat(65), "a"],
      ["zaguan", "a.b"],
    ] as const) {
      const isRefusal = (error: unknown) => error instanceof BusError && error.kind === "name";
      assert.throws(() => new Subjects(prefix, node), isRefusal, `${prefix} ${node}`);
    }
  });
});
