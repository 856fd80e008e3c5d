import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Subscriptions } from "./subscriptions.ts";

describe("who listens for a resource", () => {
  it("is counted: the last one to leave is told apart", () => {
    const subscriptions = new Subscriptions();
    for (let n = 0; n < 3; n++) subscriptions.add("house", "a:b");
    assert.deepEqual(
      [1, 2, 3].map(() => subscriptions.drop("house", "a:b")),
      [false, false, true],
    );
    assert.deepEqual(subscriptions.of("house"), []);
  });

  it("is counted apart for every resource and every source", () => {
    const subscriptions = new Subscriptions();
    subscriptions.add("house", "a:b");
    subscriptions.add("house", "c:d");
    subscriptions.add("tv", "a:b");
    assert.equal(subscriptions.drop("house", "a:b"), true);
    assert.deepEqual(
      [subscriptions.of("house"), subscriptions.of("tv"), subscriptions.of("none")],
      [["c:d"], ["a:b"], []],
    );
  });

  it("may be nobody that we knew of: then nobody is left, and nobody is owed", () => {
    const subscriptions = new Subscriptions();
    assert.equal(subscriptions.drop("house", "a:b"), true);
    subscriptions.add("house", "a:b");
    assert.equal(subscriptions.drop("house", "c:d"), true);
    assert.deepEqual(subscriptions.of("house"), ["a:b"]);
    assert.equal(subscriptions.drop("house", "a:b"), true);
  });

  it("is told once for each resource, however many listen", () => {
    const subscriptions = new Subscriptions();
    for (const uri of ["a:b", "c:d", "a:b"]) subscriptions.add("house", uri);
    assert.deepEqual(subscriptions.of("house"), ["a:b", "c:d"]);
  });
});
