/** What is not in the contract about tools: what is held in memory, what is forgotten. The contract is in test/contract. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { findTool, names, newAgent, serverWith, tool, tools } from "../../../test/contract/registry-fixtures.ts";
import type { ToolQuery } from "../registry.ts";
import { openDriver, type SqliteDriver } from "../sqlite/driver.ts";
import { openSqliteStore } from "../sqlite/store.ts";
import type { Store } from "../store.ts";
import { SqlTools } from "./registry-tools.ts";

let folder: string;
let store: Store;
/** A connection of its own, as another process has it. */
let driver: SqliteDriver;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "zaguan-tools-"));
  const file = join(folder, "zaguan.db");
  store = await openSqliteStore(file);
  driver = openDriver(file);
});
afterEach(async () => {
  await driver.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

describe("tools from memory and tools from the file", () => {
  it("are the same, whatever is asked for", async () => {
    const odd = tool("ODD ς", { description: "Ünder a 100% lamp_on", quarantine: "bad", scope: "room" });
    const one = await serverWith(store.registry, "one", ...tools("lamp on", "lamp off", "gone"), odd);
    await serverWith(store.registry, "empty");
    await serverWith(store.registry, "two", ...tools("c", "b", "a"), tool("b lamp", { description: "" }));
    await store.registry.tools.sync(one, [odd, ...tools("lamp off", "lamp on")]);
    const [memory, file] = [new SqlTools(driver), new SqlTools(driver, 0)];
    for (const search of [undefined, "", "lamp", "LAMP on", "σ", "ü 0%", "does a", "nothing", "gone"]) {
      for (const serverId of [undefined, one, "nobody"]) {
        for (const page of [{}, { limit: 2 }, { offset: 1 }, { offset: 1, limit: 1 }, { limit: 0 }, { offset: 99 }]) {
          const query: ToolQuery = { search, serverId, ...page };
          assert.deepEqual(await memory.list(query), await file.list(query), JSON.stringify(query));
          assert.equal(await memory.count(query), await file.count(query), JSON.stringify(query));
        }
      }
    }
  });

  it("are the same records as long as their server is, so that what is made of them can be kept", async () => {
    const one = await serverWith(store.registry, "one", ...tools("a"));
    await serverWith(store.registry, "two", ...tools("b"));
    const before = await store.registry.tools.list();
    await store.registry.tools.sync(one, tools("a", "c"));
    const after = await store.registry.tools.list({ search: "does" });
    assert.deepEqual(names(after), ["a", "c", "b"]);
    assert.ok(after[2] === before[1]);
  });

  it("show at once what another process changed", async () => {
    const other = new SqlTools(driver);
    const id = await serverWith(store.registry, "one", ...tools("a", "b"));
    const shown = async () => (await other.list()).map(({ name, serverName, scope }) => [serverName, name, scope]);
    const two = [
      ["one", "a", "global"],
      ["one", "b", "global"],
    ];
    assert.deepEqual(await shown(), two);
    await store.registry.servers.change(id, { name: "uno" });
    assert.deepEqual((await shown())[0], ["uno", "a", "global"]);
    await store.registry.tools.sync(id, [tool("b", { scope: "room" }), tool("a")]);
    assert.deepEqual((await shown())[0], ["uno", "b", "room"]);
    await store.registry.tools.sync(id, tools("a"));
    assert.deepEqual(await shown(), [["uno", "a", "global"]]);
    await store.registry.servers.delete(id);
    assert.deepEqual(await shown(), []);
  });
});

describe("a tool that its server does not list any more", () => {
  const missing = async () => names(await store.registry.tools.list({ withMissing: true }));
  const age = async (name: string, days: number) => {
    const then = new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
    assert.equal(await driver.run("UPDATE tools SET updated_utc = ? WHERE name = ?", then, name), 1);
  };

  it("is forgotten after ninety days, when its server is asked again", async () => {
    const id = await serverWith(store.registry, "one", ...tools("a", "old", "new"));
    await store.registry.tools.sync(id, tools("a"));
    for (const [name, days] of [
      ["a", 1000],
      ["old", 91],
      ["new", 89],
    ] as const)
      await age(name, days);
    assert.deepEqual(await missing(), ["a", "old", "new"]);
    const before = await store.registry.tools.version();
    assert.deepEqual((await store.registry.tools.sync(id, tools("a"))).missing, []);
    assert.deepEqual(await missing(), ["a", "new"]);
    assert.ok((await store.registry.tools.version()) > before);
  });

  it("comes back with its id however long it was away, if it is listed before", async () => {
    const id = await serverWith(store.registry, "one", ...tools("a"));
    const { id: toolId } = await findTool(store.registry, id, "a");
    await store.registry.tools.sync(id, []);
    await age("a", 1000);
    assert.deepEqual((await store.registry.tools.sync(id, tools("a"))).returned, ["a"]);
    assert.equal((await findTool(store.registry, id, "a")).id, toolId);
  });

  it("is kept for the agent that is linked to it, and of a server that is not asked", async () => {
    const { registry } = store;
    const id = await serverWith(registry, "one", ...tools("linked"));
    const other = await serverWith(registry, "two", ...tools("other"));
    const agent = await registry.agents.create(newAgent("ana"));
    const { id: toolId } = await findTool(registry, id, "linked");
    await registry.bindings.create({ agentId: agent.id, toolId, enabled: false });
    for (const each of [id, other]) await registry.tools.sync(each, []);
    for (const name of ["linked", "other"]) await age(name, 1000);
    await registry.tools.sync(id, []);
    assert.deepEqual(await missing(), ["linked", "other"]);
  });
});
