/** The list under the queue. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LinkedList } from "./linked-list.ts";

describe("a linked list", () => {
  it("gives back in the order in which it took", () => {
    const list = new LinkedList<number>();
    for (const value of [1, 2, 3]) list.push(value);
    assert.deepEqual([list.shift(), list.shift(), list.shift(), list.shift()], [1, 2, 3, undefined]);
    assert.equal(list.size, 0);
  });

  it("lets go from the front, the middle and the end", () => {
    const list = new LinkedList<string>();
    const [a, b, c, d] = ["a", "b", "c", "d"].map((value) => list.push(value));
    for (const link of [b, d, a]) assert.equal(list.remove(link), true);
    assert.deepEqual([...list], ["c"]);
    assert.equal(list.first, "c");
    assert.equal(list.indexOf(c), 0);
    list.push("e");
    assert.deepEqual([...list], ["c", "e"]);
  });

  it("lets go of each link once, and of no other list's", () => {
    const list = new LinkedList<string>();
    const other = new LinkedList<string>();
    const link = list.push("a");
    assert.equal(other.remove(link), false);
    assert.equal(list.remove(link), true);
    assert.equal(list.remove(link), false);
    assert.equal(list.indexOf(link), -1);
    assert.equal(list.size, 0);
  });

  it("tells how many stand before a link", () => {
    const list = new LinkedList<number>();
    const links = [1, 2, 3].map((value) => list.push(value));
    assert.deepEqual(
      links.map((link) => list.indexOf(link)),
      [0, 1, 2],
    );
  });
});
