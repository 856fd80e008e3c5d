/** What goes on while a shared store is away. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ZaguanError } from "../errors.ts";
import { FallbackCache, withFallbacks } from "./fallback-cache.ts";
import type { AgentRecord } from "./registry.ts";
import type { Store } from "./store.ts";

const away = (): Promise<never> =>
  Promise.reject(new ZaguanError("STORE_UNAVAILABLE", { params: { reason: "the database cannot be reached" } }));

describe("the last known answers", () => {
  it("are given again while the store is away, each to its own question", async () => {
    const cache = new FallbackCache();
    await cache.read("one", async () => 1);
    await cache.read("two", async () => undefined);
    assert.equal(await cache.read("one", away), 1);
    assert.equal(await cache.read("two", away), undefined);
    await assert.rejects(cache.read("three", away), { code: "STORE_UNAVAILABLE" });
    assert.equal(await cache.read("one", async () => 2), 2);
    assert.equal(await cache.read("one", away), 2);
  });

  it("hide no other failure", async () => {
    const cache = new FallbackCache();
    await cache.read("one", async () => 1);
    await assert.rejects(
      cache.read("one", () => Promise.reject(new TypeError("boom"))),
      /boom/,
    );
  });

  it("are given to whoever does not want to wait for a store that says nothing", async () => {
    const cache = new FallbackCache({ fallbackAfterMs: 1 });
    await cache.read("one", async () => 1);
    assert.equal(await cache.read("one", () => new Promise<number>(() => {})), 1);
  });

  it("are bounded by what they hold: the oldest goes first, and what is too large is not kept", async () => {
    const cache = new FallbackCache({ most: 10 });
    for (const question of ["one", "two", "three"]) await cache.read(question, async () => [1, 2, 3]);
    await assert.rejects(cache.read("one", away));
    assert.deepEqual(await cache.read("three", away), [1, 2, 3]);
    await cache.read("large", async () => [1, 2, 3, 4, 5, 6]);
    await assert.rejects(cache.read("large", away));
    assert.deepEqual(await cache.read("three", away), [1, 2, 3]);
  });
});

/** A store of which the test says whether it is there. */
function openStore() {
  let isAway = false;
  const guarded =
    <Values extends readonly unknown[], Answer>(answer: (...values: Values) => Answer) =>
    async (...values: Values): Promise<Answer> =>
      isAway ? away() : answer(...values);
  const agents = { names: ["ann"] };
  const kept = new Map<string, unknown>();
  const table = {
    get: guarded((id: string) => ({ id }) as AgentRecord),
    findByName: guarded(() => undefined),
    list: guarded(() => agents.names.map((name) => ({ name }) as AgentRecord)),
    count: guarded(() => agents.names.length),
    delete: guarded(() => true),
  };
  const documents = {
    get: guarded((collection: string, key: string) => kept.get(collection + key)),
    put: guarded((collection: string, key: string, value: unknown) => void kept.set(collection + key, value)),
    delete: guarded((collection: string, key: string) => void kept.delete(collection + key)),
    update: guarded((collection: string, key: string, change: (value: unknown) => unknown) => {
      kept.set(collection + key, change(kept.get(collection + key)));
      return kept.get(collection + key);
    }),
  };
  const tools = { version: guarded(() => 7), list: guarded(() => []) };
  const registry = { servers: {}, tools, agents: table, bindings: {} };
  const store = { registry, keys: {}, apis: {}, documents } as unknown as Store;
  return { remembered: withFallbacks(store), agents, leave: () => (isAway = true) };
}

describe("tables of a store that is away", () => {
  it("show what they showed, and refuse what would change something", async () => {
    const { remembered, leave } = openStore();
    const { forDisplay, forLookups } = remembered;
    await forDisplay.agents.list({ search: "a" });
    await forLookups.agents.get("1");
    leave();
    assert.deepEqual(await forDisplay.agents.list({ search: "a" }), [{ name: "ann" }]);
    await assert.rejects(forDisplay.agents.list({ search: "b" }), { code: "STORE_UNAVAILABLE" });
    assert.deepEqual(await forLookups.agents.get("1"), { id: "1" });
    await assert.rejects(forLookups.agents.get("2"), { code: "STORE_UNAVAILABLE" });
    await assert.rejects(forDisplay.agents.delete("1"), { code: "STORE_UNAVAILABLE" });
  });

  it("have another version while they are away, so that nobody keeps an old list for a new one", async () => {
    const { remembered, leave } = openStore();
    const { tools } = remembered.forDisplay;
    assert.equal(await tools.version(), 7);
    await tools.list();
    leave();
    assert.ok((await tools.version()) < 0);
    assert.deepEqual(await tools.list(), []);
  });

  it("give no list from memory to whoever decides by it what is offered", async () => {
    const { remembered, leave } = openStore();
    await remembered.forLookups.agents.list();
    leave();
    await assert.rejects(remembered.forLookups.agents.list(), { code: "STORE_UNAVAILABLE" });
  });

  it("read documents as they were last read or written", async () => {
    const { remembered, leave } = openStore();
    const { documents } = remembered;
    await documents.put("house", "state", { on: false });
    await documents.update("house", "state", () => ({ on: true }));
    await documents.put("house", "old", 1);
    await documents.delete("house", "old");
    leave();
    const state = (await documents.get("house", "state")) as { on: boolean };
    assert.deepEqual(state, { on: true });
    state.on = false;
    assert.deepEqual(await documents.get("house", "state"), { on: true });
    assert.equal(await documents.get("house", "old"), undefined);
    await assert.rejects(documents.put("house", "state", {}), { code: "STORE_UNAVAILABLE" });
  });
});
