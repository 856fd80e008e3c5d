import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { editDistance, nearest } from "./rules.ts";

const KEYS = ["command", "args", "env", "cwd", "url", "headers", "autoApprove"];

describe("the word that was meant", () => {
  it("is found over slips of the finger", () => {
    assert.equal(nearest("comand", KEYS), "command");
    assert.equal(nearest("agrs", KEYS), "args");
    assert.equal(nearest("URL", KEYS), "url");
    assert.equal(nearest("autoapprove", KEYS), "autoApprove");
  });

  it("is not guessed where nothing is near", () => {
    assert.equal(nearest("elephant", KEYS), undefined);
    assert.equal(nearest("x", KEYS), undefined);
    assert.equal(nearest("c".repeat(100_000), KEYS), undefined);
    assert.equal(nearest("a", []), undefined);
  });

  it("is measured in insertions, deletions, replacements and swaps", () => {
    assert.equal(editDistance("", "abc"), 3);
    assert.equal(editDistance("abc", "abc"), 0);
    assert.equal(editDistance("abcd", "acbd"), 1);
    assert.equal(editDistance("kitten", "sitting"), 3);
  });
});
