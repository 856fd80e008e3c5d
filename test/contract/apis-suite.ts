/** What every store promises of APIs. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { ApiTable, ApiWrite, NewApi, NewApiTool } from "../../src/store/apis.ts";
import type { Store } from "../../src/store/store.ts";
import type { StoreUnderTest } from "./store-suite.ts";

function api(name: string, more: Partial<NewApi> = {}): NewApi {
  const id = randomUUID();
  const usual = { kind: "tool", baseUrl: "https://api.example.org", enabled: true, allowPrivate: false } as const;
  return { id, name, ...usual, described: '{"a":1}', ...more };
}

function tool(code: string, more: Partial<NewApiTool> = {}): NewApiTool {
  return { code, enabled: true, described: `{"code":"${code}"}`, ...more };
}

export function describeApis(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`APIs in ${name}`, () => {
    let subject: StoreUnderTest;
    let store: Store;
    let apis: ApiTable;
    beforeEach(async () => {
      subject = await open();
      ({ store } = subject);
      ({ apis } = store);
    });
    afterEach(() => subject.dispose());

    const save = (...writes: readonly ApiWrite[]): Promise<void> => apis.save(writes);
    const codes = async (id?: string): Promise<string[]> => (await apis.tools(id)).map(({ code }) => code);

    it("are kept with their tools, and found by id and by name in any case", async () => {
      const weather = api("Weather", { sealed: "v1.x", allowPrivate: true });
      await save({ api: weather, tools: [tool("clima"), tool("mareas", { enabled: false })] });
      const { createdUtc, updatedUtc, ...kept } = (await apis.get(weather.id)) ?? assert.fail();
      assert.deepEqual(kept, weather);
      assert.equal(createdUtc, updatedUtc);
      assert.equal((await apis.findByName("WEATHER"))?.id, weather.id);
      assert.deepEqual(
        (await apis.tools(weather.id)).map((each) => [each.code, each.enabled, each.apiId, each.healthy]),
        [
          ["clima", true, weather.id, undefined],
          ["mareas", false, weather.id, undefined],
        ],
      );
    });

    it("are servers of the registry too, with the same id", async () => {
      const weather = api("weather");
      await save({ api: weather, tools: [] });
      const server = await store.registry.servers.findByName("weather");
      assert.deepEqual([server?.id, server?.origin, server?.baseUrl], [weather.id, "api", weather.baseUrl]);
      assert.ok(await apis.delete(weather.id));
      assert.equal(await store.registry.servers.findByName("weather"), undefined);
      assert.deepEqual([await apis.list(), await apis.tools()], [[], []]);
      assert.equal(await apis.delete(weather.id), false);
    });

    it("are not deleted in the place of another server", async () => {
      const { id } = await store.registry.servers.create({
        name: "other",
        origin: "registered",
        authType: "none",
        allowPrivate: false,
      });
      assert.equal(await apis.delete(id), false);
      assert.ok(await store.registry.servers.get(id));
    });

    it("are written anew by their ids; tools keep theirs by their codes", async () => {
      const weather = api("weather");
      await save({ api: weather, tools: [tool("clima"), tool("mareas")] });
      const [clima, mareas] = await apis.tools();
      await save({
        api: { ...weather, name: "tiempo", described: "{}" },
        tools: [tool("nueva"), tool("mareas", { described: "{}" })],
      });
      const [nueva, still] = await apis.tools();
      assert.deepEqual(await codes(), ["nueva", "mareas"]);
      assert.deepEqual([still?.id, still?.described], [mareas?.id, "{}"]);
      assert.notEqual(nueva?.id, clima?.id);
      assert.equal((await apis.findByName("tiempo"))?.id, weather.id);
      assert.equal(await apis.findByName("weather"), undefined);
    });

    it("let a tool have another code under its id", async () => {
      const weather = api("weather");
      await save({ api: weather, tools: [tool("clima")] });
      const [before] = await apis.tools();
      await save({ api: weather, tools: [tool("tiempo", { id: before?.id })] });
      assert.deepEqual(
        (await apis.tools()).map(({ id, code }) => [id, code]),
        [[before?.id, "tiempo"]],
      );
    });

    it("are all written or none: a name or a code that is taken undoes the rest", async () => {
      await save({ api: api("weather"), tools: [tool("clima")] });
      for (const second of [
        { api: api("WEATHER"), tools: [] },
        { api: api("sea"), tools: [tool("clima")] },
      ]) {
        await assert.rejects(save({ api: api("first"), tools: [tool("primera")] }, second), { name: "NameTaken" });
        assert.deepEqual(await codes(), ["clima"]);
        assert.equal((await apis.list()).length, 1);
      }
    });

    it("of documents may have codes that others have", async () => {
      await save({ api: api("one", { kind: "openapi" }), tools: [tool("list")] });
      await save({ api: api("two", { kind: "openapi" }), tools: [tool("list")] });
      await save({ api: api("three"), tools: [tool("list")] });
      assert.deepEqual(await codes(), ["list", "list", "list"]);
      const found = (await apis.findTool("list")) ?? assert.fail();
      assert.equal(found.apiId, (await apis.findByName("three"))?.id);
    });

    it("remember how a tool was, until somebody looks again", async () => {
      await save({ api: api("weather"), tools: [tool("clima")] });
      const { id, updatedUtc } = (await apis.findTool("clima")) ?? assert.fail();
      await apis.noteHealth(id, false, "2026-01-02T03:04:05.000Z");
      const seen = (await apis.findTool(id)) ?? assert.fail();
      assert.deepEqual(
        [seen.healthy, seen.checkedUtc, seen.updatedUtc],
        [false, "2026-01-02T03:04:05.000Z", updatedUtc],
      );
    });
  });
}
