/** Keys are random, recognisable, and kept as hashes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hashKey, isWellFormedKey, makeKey, mintKey } from "./api-keys.ts";

describe("a minted key", () => {
  it("is zgn_ and 32 random bytes, never the same twice", () => {
    const keys = Array.from({ length: 100 }, () => mintKey().key);
    assert.equal(new Set(keys).size, 100);
    for (const key of keys) {
      assert.match(key, /^zgn_/);
      assert.equal(Buffer.from(key.slice(4), "base64url").length, 32);
      assert.ok(isWellFormedKey(key));
    }
  });

  it("comes with its hash and with a hint of eight characters", () => {
    const minted = mintKey();
    assert.equal(minted.hash, hashKey(minted.key));
    assert.equal(minted.hint, `${minted.key.slice(0, 8)}…`);
  });
});

describe("a key that is made", () => {
  it("is kept with what was said of it, and by its hash and hint alone", () => {
    const { key, kept } = makeKey({ name: "phone", allow: ["house__*"] });
    assert.deepEqual(kept, {
      name: "phone",
      allow: ["house__*"],
      hash: hashKey(key),
      hint: `${key.slice(0, 8)}…`,
    });
  });
});

describe("a key's hash", () => {
  it("is SHA-256 in hexadecimal", () => {
    assert.equal(hashKey("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});

describe("what cannot be a key", () => {
  const key = mintKey().key;
  const wrong = ["", "zgn_", key.slice(1), key.slice(0, -1), `${key}A`, `${key}\n`, ` ${key}`, key.toUpperCase()];
  for (const text of [...wrong, `zgn_${"é".repeat(43)}`, `zgn_${"=".repeat(43)}`]) {
    it(`is told by its looks: ${JSON.stringify(text).slice(0, 20)}`, () => assert.equal(isWellFormedKey(text), false));
  }
});
