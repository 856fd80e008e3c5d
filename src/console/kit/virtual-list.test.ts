import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { targetOf } from "./virtual-list.ts";

describe("keys in the list of calls", () => {
  const ways: readonly (readonly [key: string, from: number, to: number | undefined])[] = [
    ["ArrowDown", 3, 4],
    ["ArrowDown", -1, 0],
    ["ArrowDown", 99, 99],
    ["ArrowUp", 3, 2],
    ["ArrowUp", 0, 0],
    ["ArrowUp", -1, 0],
    ["PageDown", 5, 15],
    ["PageDown", 95, 99],
    ["PageUp", 15, 5],
    ["PageUp", 5, 0],
    ["Home", 50, 0],
    ["End", 50, 99],
    ["Enter", 50, undefined],
    ["constructor", 50, undefined],
  ];
  for (const [key, from, to] of ways) {
    it(`${key} from ${from} leads to ${to}`, () => assert.equal(targetOf(key, from, 100, 10), to));
  }

  it("lead nowhere in an empty list", () => assert.equal(targetOf("End", -1, 0, 10), undefined));
});
