/** What changes and is shown: who listens is told of every change, and of nothing else. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Store } from "./store.ts";

describe("a store", () => {
  it("tells of a change, not of the same again", () => {
    const store = new Store(1);
    let told = 0;
    store.subscribe(() => told++);
    store.set(1);
    assert.equal(told, 0);
    store.change((value) => value + 1);
    assert.deepEqual([told, store.get()], [1, 2]);
  });

  it("tells nobody who has left, even of the change at which it left", () => {
    const store = new Store("a");
    const heard: string[] = [];
    const stop = store.subscribe(() => {
      heard.push(store.get());
      stop();
    });
    store.subscribe(() => heard.push(`other ${store.get()}`));
    store.set("b");
    store.set("c");
    assert.deepEqual(heard, ["b", "other b", "other c"]);
  });
});
