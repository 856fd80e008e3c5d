/** Rights of a key, and whether it is ours. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Key } from "../../../contract/key.ts";
import { isOwnKey, newKey, patternsIn } from "./key-form.ts";

describe("a new key", () => {
  it("is for all tools unless something else is said", () => {
    assert.deepEqual(newKey(" box ", "all", "house__*"), { name: "box" });
  });

  it("is for some tools, written in whatever order and as often as one likes", () => {
    const allow = ["house__*", "get_*", "say"];
    assert.deepEqual(patternsIn(" house__*\n get_*, say  get_*,,\n"), allow);
    assert.deepEqual(newKey("box", "some", "house__* get_* say"), { name: "box", allow });
  });

  it("of an administrator has no patterns", () => {
    assert.deepEqual(newKey("me", "admin", "house__*"), { name: "me", admin: true });
  });
});

describe("the page's own key", () => {
  const key: Key = {
    id: "1",
    name: "phone",
    hint: "zgn_abcd…",
    admin: true,
    allow: null,
    agentId: null,
    createdUtc: "",
    lastUsedUtc: null,
  };
  const me = { kind: "key", name: "phone", admin: true, limited: false } as const;

  it("begins as its hint says, and is the holder's", () => assert.ok(isOwnKey(key, me, "zgn_abcdefgh")));
  it("begins otherwise: it is another's", () => assert.equal(isOwnKey(key, me, "zgn_abcXefgh"), false));
  it("is another's of the same beginning", () =>
    assert.equal(isOwnKey({ ...key, name: "box" }, me, "zgn_abcdefgh"), false));
  it("is none for who comes without", () => {
    assert.equal(isOwnKey(key, { ...me, kind: "local" }, "zgn_abcdefgh"), false);
    assert.equal(isOwnKey(key, me, null), false);
    assert.equal(isOwnKey(key, undefined, "zgn_abcdefgh"), false);
  });
  it("may be an agent's", () => {
    const agent = { ...me, kind: "agent", name: "butler" } as const;
    assert.ok(isOwnKey({ ...key, name: "agent butler zgn_abcd…", agentId: "a" }, agent, "zgn_abcdefgh"));
    assert.equal(isOwnKey(key, agent, "zgn_abcdefgh"), false);
  });
});
