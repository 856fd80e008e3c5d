/** What every implementation of the port `AnswerCache` promises. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AnswerCache, prefixOf } from "../../../src/core/shared/answer-cache.ts";
import { Payload } from "../../../src/protocol/json/payload.ts";

/** `open` makes one for so many bytes. */
export function describeAnswerCache(name: string, open: (maxBytes: number) => AnswerCache): void {
  describe(`answer cache: ${name}`, () => {
    const key = (of: string, what = "x"): string => `${prefixOf(of)}${what}`;
    const answerOf = (cache: AnswerCache, of: string, now: number, what?: string): unknown =>
      cache.get(key(of, what), now)?.value.value;

    it("keeps an answer until it expires, and says since when", () => {
      const cache = open(1_000_000);
      cache.set(key("house"), Payload.ofValue("on"), 5_000, 1_000);
      assert.equal(answerOf(cache, "house", 4_999), "on");
      assert.equal(cache.get(key("house"), 4_999)?.storedAt, 1_000);
      assert.equal(cache.get(key("house"), 5_000), undefined);
    });

    it("forgets what a source said when it is dropped, and nothing else, also if one name begins as another", () => {
      const cache = open(1_000_000);
      for (const source of ["house", "house2"]) cache.set(key(source), Payload.ofValue(source), 9_000, 0);
      const before = cache.epochOf("house");
      cache.drop("house");
      assert.deepEqual([answerOf(cache, "house", 1), answerOf(cache, "house2", 1)], [undefined, "house2"]);
      assert.ok(cache.epochOf("house") > before);
      assert.equal(cache.epochOf("house2"), cache.epochOf("never seen"));
    });

    it("stays within its bytes by forgetting what was used longest ago", () => {
      const cache = open(20_000);
      const large = Payload.ofValue("x".repeat(3_000));
      for (let n = 0; n < 20; n++) {
        cache.set(key("house", `${n}`), large, 9_000, 0);
        cache.get(key("house", "0"), 1);
      }
      const kept = Array.from({ length: 20 }, (_, n) => n).filter((n) => cache.get(key("house", `${n}`), 1));
      assert.ok(kept.includes(0) && kept.includes(19) && kept.length < 5, kept.join());
    });
  });
}
