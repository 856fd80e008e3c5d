import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Store } from "../../kit/store.ts";
import { until } from "./switch.ts";

describe("waiting for what will be told", () => {
  test("is over at once where it is so already", async () => {
    const store = { get: () => 3, subscribe: () => assert.fail("there is nothing to wait for") };
    await until(store, (value) => value === 3, 60_000);
  });

  test("is over with the change that makes it so, and not before", async () => {
    const store = new Store(0);
    let isOver = false;
    const waiting = until(store, (value) => value === 2, 60_000).then(() => {
      isOver = true;
    });
    store.set(1);
    await Promise.resolve();
    assert.equal(isOver, false);
    store.set(2);
    await waiting;
  });

  test("is over in the end where it never comes to be, and listens no longer", async () => {
    const store = new Store(0);
    let looks = 0;
    await until(store, () => ++looks < 0, 1);
    const before = looks;
    store.set(1);
    assert.equal(looks, before);
  });
});
