/** What is SQLite's own; the contract itself is tested for every store in test/contract. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openSqliteStore } from "./store.ts";

describe("the SQLite store", () => {
  it("lives in memory if asked to, each one alone", async () => {
    const [one, two] = await Promise.all([openSqliteStore(":memory:"), openSqliteStore(":memory:")]);
    await one.documents.put("house", "state", 1);
    assert.equal(await one.documents.get("house", "state"), 1);
    assert.equal(await two.documents.get("house", "state"), undefined);
    await one.close();
    await two.close();
  });
});
