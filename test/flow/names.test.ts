/** Two servers that offer the same name, the first of them slow: a name that was listed never leads elsewhere. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { askUntil } from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

/** An MCP server that offers `echo`, which says whose it is; it answers nothing until its file is there. */
const SERVER = `
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
const [name, file] = process.argv.slice(1);
while (file && !existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20));
const tools = [{ name: "echo", inputSchema: { type: "object" } }];
const answers = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name, version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": () => ({ content: [{ type: "text", text: name }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.();
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "?" } }) }));
}`;

describe("a name that two servers offer, the first of which is slow to start", () => {
  let folder: string;
  let hub: SpawnedZaguan;
  let client: RegistryClient;
  const isReady = (): string => join(folder, "ready");
  const start = async (): Promise<void> => {
    const entry = (...args: string[]) => ({
      command: process.execPath,
      args: ["--input-type=module", "-e", SERVER, ...args],
      zaguan: { readySeconds: 60 },
    });
    const mcpServers = { first: entry("first", isReady()), second: entry("second") };
    hub = await spawnZaguan({ folder, config: { mcpServers, limits: { listWaitSeconds: 1 } } });
    client = new RegistryClient(hub.url);
  };
  const names = async (): Promise<string[]> => (await client.names("/mcp")).filter((name) => name.includes("echo"));

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "zaguan-names-"));
    await start();
  });
  after(async () => {
    await hub?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("stays with the second, which was listed with it, when the first comes", async () => {
    await askUntil("echo is listed", names, (listed) => listed.length > 0);
    assert.deepEqual(await names(), ["echo"]);
    assert.equal(await client.textOf("/mcp", "echo", {}), "second");
    writeFileSync(isReady(), "");
    await askUntil("both are listed", names, (listed) => listed.length === 2);
    assert.deepEqual(await names(), ["first__echo", "echo"]);
    assert.equal(await client.textOf("/mcp", "echo", {}), "second");
    assert.equal(await client.textOf("/mcp", "first__echo", {}), "first");
  });

  it("is told as a clash, in the log and where the console reads it", async () => {
    const told = /"keeper":"second","renamed":"first__echo","msg":"tool name taken/;
    await until("the log tells it", () => told.test(hub.stderr()));
    const tools = await client.done("GET", "/mcp/tools/all?search=echo");
    const shown = tools.map(({ serverName, publicName }: Record<string, string>) => [serverName, publicName]);
    assert.deepEqual(shown, [
      ["first", "first__echo"],
      ["second", undefined],
    ]);
  });

  it("is the first's after a restart of the hub, from the start, though that is slow again", async () => {
    await hub.stop();
    rmSync(isReady());
    await start();
    assert.deepEqual(await names(), ["echo", "second__echo"]);
    writeFileSync(isReady(), "");
    assert.equal(await client.textOf("/mcp", "echo", {}), "first");
  });
});
