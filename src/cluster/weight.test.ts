import assert from "node:assert/strict";
import { it } from "node:test";
import { Weight } from "./weight.ts";

function after(seconds: number, load: number, others: readonly number[], weight = new Weight(), from = 0): Weight {
  for (let now = from; now <= from + seconds * 1_000; now += 1_000) weight.update(load, others, now);
  return weight;
}

it("a node that is busier than the others for ten seconds takes a quarter less", () => {
  assert.equal(after(9, 20, [10, 10]).value, 1);
  assert.equal(after(10, 20, [10, 10]).value, 0.75);
});

it("it never takes nothing, however busy it is", () => {
  assert.equal(after(300, 100, [1, 1]).value, 0.25);
});

it("it takes more again only after a minute with less than the others", () => {
  const weight = after(10, 20, [10, 10]);
  after(59, 5, [10, 10], weight, 20_000);
  assert.equal(weight.value, 0.75);
  after(61, 5, [10, 10], weight, 100_000);
  assert.equal(weight.value, 1);
});

it("where nobody is busy, differences mean nothing", () => {
  assert.equal(after(300, 2, [0, 0]).value, 1);
});
