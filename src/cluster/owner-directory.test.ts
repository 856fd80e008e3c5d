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

it("it stays bounded: what was learned longest ago goes first", () => {
  const directory = new OwnerDirectory();
  for (let number = 0; number < 100_001; number++) directory.learn(`k${number}`, owner("a", 1));
  assert.equal(directory.of("k0"), undefined);
  assert.ok(directory.of("k1") && directory.of("k100000"));
});
