import assert from "node:assert/strict";
import { it } from "node:test";
import { OwnerDirectory } from "./owner-directory.ts";

const owner = (node: string, epoch: number) => ({ node, boot: `${node}1`, epoch });

it("the higher epoch is believed, in whatever order one hears of them", () => {
  const directory = new OwnerDirectory();
  directory.learn("k", owner("b", 2));
  directory.learn("k", owner("a", 1));
  assert.deepEqual(directory.of("k"), owner("b", 2));
});

it("an owner is forgotten with its epoch, and a later one is not", () => {
  const directory = new OwnerDirectory();
  directory.learn("k", owner("b", 2));
  directory.forget("k", 1);
  assert.ok(directory.of("k"));
  directory.forget("k", 2);
  assert.equal(directory.of("k"), undefined);
});

it("an owner that is forgotten is not found under what was known of it earlier", () => {
  const directory = new OwnerDirectory();
  directory.learn("k", owner("a", 1));
  for (let number = 0; number < 50_000; number++) directory.learn(`k${number}`, owner("a", 1));
  directory.learn("k", owner("b", 2));
  assert.deepEqual(directory.of("k"), owner("b", 2));
  directory.forget("k", 2);
  assert.equal(directory.of("k"), undefined);
});

it("it stays bounded: what was learned longest ago goes first, and the last 50,000 stay", () => {
  const directory = new OwnerDirectory();
  for (let number = 0; number < 120_000; number++) directory.learn(`k${number}`, owner("a", 1));
  assert.deepEqual([directory.of("k0"), directory.of("k19999")], [undefined, undefined]);
  assert.ok(directory.of("k70000") && directory.of("k119999"));
});
