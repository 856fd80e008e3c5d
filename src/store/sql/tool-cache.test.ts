import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { ToolRecord } from "../registry.ts";
import { type CachedTool, ToolCache, type ToolFile } from "./tool-cache.ts";

interface Server {
  readonly id: string;
  readonly updatedUtc: string;
  readonly tools: readonly string[];
}

describe("tools that are held in memory", () => {
  let version = 1;
  let servers: readonly Server[] = [];
  /** Whose tools were read. */
  let read: string[] = [];
  let shelf: ToolCache;

  const find = (id: string): Server | undefined => servers.find((server) => server.id === id);
  const file: ToolFile = {
    version: async () => version,
    servers: async () => servers,
    server: async (id) => find(id),
    toolsOf: async (id) => {
      read.push(id);
      return (find(id)?.tools ?? []).map((name) => shelved(id, name));
    },
  };
  const found = async (search?: string, serverId?: string) =>
    (await shelf.find(serverId, search))?.map(({ name }) => name);
  const change = (...now: readonly Server[]) => {
    version++;
    servers = now;
    read = [];
  };

  beforeEach(() => {
    shelf = new ToolCache(file, 1_000);
    const [a, b] = [server("a", 1, "lamp on", "lamp off"), server("b", 1, "door on")];
    change(a, b);
  });

  it("are read once, and then searched without the file", async () => {
    assert.deepEqual(await found(), ["lamp on", "lamp off", "door on"]);
    assert.deepEqual(await found("ON"), ["lamp on", "door on"]);
    assert.deepEqual(await found("on LAMP"), ["lamp on"]);
    assert.deepEqual(await found("on off"), []);
    assert.deepEqual(read, ["a", "b"]);
  });

  it("stay the same records while nothing changes", async () => {
    const before = await shelf.find(undefined, "on");
    assert.ok((await shelf.find(undefined, "on"))?.every((record, index) => record === before?.[index]));
  });

  it("are read anew of the servers that changed, and of no other", async () => {
    await found();
    change(server("a", 2, "lamp dim"), server("b", 1, "door on"));
    assert.deepEqual(await found(), ["lamp dim", "door on"]);
    assert.deepEqual(read, ["a"]);
  });

  it("go with their server, and follow the order of servers", async () => {
    await found();
    change(server("b", 1, "door on"), server("c", 1, "fan on"));
    assert.deepEqual(await found("on"), ["door on", "fan on"]);
    assert.deepEqual(read, ["c"]);
  });

  it("are found in one server, changed or new or gone", async () => {
    await found();
    change(server("b", 2, "door off"), server("c", 1, "fan on"));
    assert.deepEqual(await found("off", "b"), ["door off"]);
    assert.deepEqual(await found("off", "c"), []);
    assert.deepEqual(await found("", "a"), []);
    assert.deepEqual(await found(), ["door off", "fan on"]);
  });

  it("are seen the next time if they change while they are read", async () => {
    const toolsOf = async (id: string) => {
      const tools = await file.toolsOf(id);
      if (tools.length === 2) change(server("a", 2, "new"));
      return tools;
    };
    shelf = new ToolCache({ ...file, toolsOf });
    await found();
    assert.deepEqual(await found(), ["new"]);
  });

  it("are not held if they are too many, now or ever after", async () => {
    await found();
    change(server("a", 2, "x".repeat(1_000)), server("b", 2, "never read"));
    assert.deepEqual([await found(), await found("on"), await found("on", "b")], [undefined, undefined, undefined]);
    assert.deepEqual(read, ["a"]);
    change(server("a", 3, "small again"));
    assert.deepEqual([await found(), read], [undefined, []]);
  });
});

function server(id: string, updated: number, ...tools: readonly string[]): Server {
  return { id, updatedUtc: `2026-01-0${updated}T00:00:00.000Z`, tools };
}

function shelved(serverId: string, name: string): CachedTool {
  const record: ToolRecord = {
    id: `${serverId}/${name}`,
    serverId,
    serverName: serverId,
    name,
    description: "",
    scope: "global",
    definition: "{}",
    missing: false,
    createdUtc: "",
    updatedUtc: "",
  };
  return { record, search: name };
}
