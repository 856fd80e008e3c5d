/**
 * How far an agent reaches at a real hub: tools of every kind of server, two of one name, nothing of a server's resources
 * and prompts; that it hears of changes; that all of it is there after a restart. And what of a server that nobody
 * registered can be changed: nothing.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { overWebSocket } from "../support/clients/carriers.ts";
import { TwoWayClient } from "../support/clients/two-way-client.ts";
import type { Message } from "../support/line-rpc.ts";
import { until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const FIXTURE = fileURLToPath(new URL("../conformance/fixture-server.mjs", import.meta.url));
const config = { mcpServers: { fixture: { command: process.execPath, args: [FIXTURE, "2025"] } } };
const ARGS = { prompt: "hola" };
const CHANGED = "notifications/tools/list_changed";

const folder = mkdtempSync(join(tmpdir(), "zaguan-scope-"));
let hub: SpawnedZaguan;
let first: StandIn;
let second: StandIn;
let client: RegistryClient;
const open = async (): Promise<void> => {
  hub = await spawnZaguan({ folder, config });
  client = new RegistryClient(hub.url);
};
before(async () => {
  [first, second] = [await StandIn.start(), await StandIn.start()];
  await open();
  await client.done("POST", "/mcp/servers/fixture/discover");
  await client.found("uno", first.url);
  await client.found("dos", second.url);
});
after(async () => {
  await hub.stop();
  await Promise.all([first.close(), second.close()]);
  rmSync(folder, { recursive: true, force: true });
});

describe("an agent", () => {
  it("is linked with tools of the house, of a configured and of a registered server", async () => {
    await client.agent("mixta", "house__get_presence", "fixture__test_simple_text", "uno__nombre-herramienta");
    const names = await client.names("/agents/mixta/mcp");
    assert.deepEqual(names.sort(), ["get_presence", SEED_TOOL.name, "test_simple_text"].sort());
    for (const [name, args] of [
      ["get_presence", {}],
      ["test_simple_text", {}],
      [SEED_TOOL.name, ARGS],
    ] as const) {
      assert.ok(await client.textOf("/agents/mixta/mcp", name, args));
    }
  });

  it("tells two tools of one name apart", async () => {
    await client.agent("doble", "uno__nombre-herramienta", "dos__nombre-herramienta");
    const names = await client.names("/agents/doble/mcp");
    assert.equal(new Set(names).size, 2);
    const counts = (): number[] => [first.calls.length, second.calls.length];
    for (const [server, index] of [
      ["uno", 0],
      ["dos", 1],
    ] as const) {
      const before = counts();
      await client.textOf("/agents/doble/mcp", `${server}__nombre-herramienta`, ARGS);
      before[index] = (before[index] ?? 0) + 1;
      assert.deepEqual(counts(), before);
    }
  });

  it("reaches no resource, template or prompt of a server, whichever tool it has of it", async () => {
    const { key } = await client.done("POST", "/agents/mixta/key");
    const all = JSON.stringify((await client.rpc("/mcp", "resources/list")).body);
    assert.match(all, /test:\/\/static-text/, "the local user sees them");
    for (const [caller, path] of [
      [client, "/agents/mixta/mcp"],
      [client.withKey(key), "/agents/mixta/mcp"],
      [client.withKey(key), "/mcp"],
      [client.withKey(key), "/servers/fixture/mcp"],
    ] as const) {
      for (const method of ["resources/list", "resources/templates/list", "prompts/list"]) {
        const { result } = (await caller.rpc(path, method)).body ?? {};
        const listed = [...(result?.resources ?? []), ...(result?.resourceTemplates ?? []), ...(result?.prompts ?? [])];
        assert.deepEqual(listed, [], `${path} ${method}`);
      }
      for (const [method, params] of [
        ["resources/read", { uri: "test://static-text" }],
        ["prompts/get", { name: "test_simple_prompt" }],
      ] as const) {
        const { body } = await caller.rpc(path, method, params);
        assert.equal(body?.result, undefined, `${path} ${method}`);
      }
    }
  });

  it("has that in common with a limited key, which reads and gets these only of a server that it names", async () => {
    const asked = [
      ["resources/read", { uri: "test://static-text" }],
      ["prompts/get", { name: "test_simple_prompt" }],
    ] as const;
    for (const [allow, isGiven] of [
      [["*read*", "*get*", "*"], false],
      [["fixture__*read*", "uno__*"], false],
      [["fixture__*"], true],
    ] as const) {
      const key = client.withKey((await client.done("POST", "/keys", { name: allow.join(), allow })).key);
      for (const [method, params] of asked) {
        for (const path of ["/mcp", "/servers/fixture/mcp"]) {
          const { body } = await key.rpc(path, method, params);
          assert.equal(body?.result !== undefined, isGiven, `${allow} ${path} ${method}`);
        }
      }
    }
  });

  it("that is connected hears when its links change", async () => {
    await client.agent("oyente", "uno__nombre-herramienta");
    const agent = await TwoWayClient.open("2025", overWebSocket(`${hub.url}/agents/oyente/mcp`));
    const heard = (): number => agent.unasked.filter(({ method }) => method === CHANGED).length;
    const before = heard();
    await client.done("POST", "/agents/oyente/bindings", { toolId: "house__get_presence" });
    await until("it is told of the new link", () => heard() > before);
    agent.leave();
  });

  it("is itself after a restart, with its links, their settings and its key", async () => {
    await client.agent("firme");
    const body = { toolId: "uno__nombre-herramienta", config: { fixedArguments: { prompt: "fijo" } } };
    await client.done("POST", "/agents/firme/bindings", body);
    const { key } = await client.done("POST", "/agents/firme/key");
    const links = (await client.get("/agents/firme/bindings")).body;
    await hub.stop();
    await open();
    assert.deepEqual((await client.get("/agents/firme/bindings")).body, links);
    const holder = client.withKey(key);
    assert.equal((await holder.names("/mcp")).length, 1);
    assert.equal(await holder.textOf("/agents/firme/mcp", SEED_TOOL.name, {}), "nombre-herramienta: fijo");
    assert.equal((await holder.rpc("/agents/mixta/mcp", "tools/list")).status, 404);
  });
});

describe("a server that nobody registered", () => {
  it("is not changed or forgotten through the registry", async () => {
    for (const name of ["house", "fixture"]) {
      for (const { status, body } of [
        await client.patch(`/mcp/servers/${name}`, { name: "otro" }),
        await client.delete(`/mcp/servers/${name}`),
      ]) {
        assert.ok(status >= 400 && status < 500, `${status}`);
        assert.ok(body.detail);
      }
      assert.equal((await client.get(`/mcp/servers/${name}`)).status, 200);
    }
    const taken = await client.post("/mcp/servers", { name: "fixture", baseUrl: "https://mcp.example.org/" });
    assert.equal(taken.status, 409);
  });

  it("is found and refreshed as the others are, with ids that stay over a restart", async () => {
    const ids = async (): Promise<string[]> =>
      (await client.get("/mcp/tools?serverId=fixture")).body.map(({ id }: Message) => id);
    const before = await ids();
    assert.ok(before.length > 3);
    await client.done("POST", "/mcp/servers/fixture/refresh");
    assert.deepEqual(await ids(), before);
  });
});
