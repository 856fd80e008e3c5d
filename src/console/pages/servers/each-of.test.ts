/** A few at once, and all of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eachOf } from "./each-of.ts";

test("every one is done once, and never more than so many at the same time", async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  const items = Array.from({ length: 20 }, (_, index) => index);
  await eachOf(items, 3, async (item) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    done.push(item);
  });
  assert.deepEqual(
    done.toSorted((a, b) => a - b),
    items,
  );
  assert.equal(most, 3);
});

test("nothing to do is nothing", async () => eachOf([], 3, () => assert.fail()));
