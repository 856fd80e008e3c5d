/**
 * Definitions with characters that cannot be seen, at a real hub: clients get them as they are, `/mcp/tools/all` and
 * `zaguan doctor` tell where they are, and the commands show them.
 */
import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { PROMPTS, TAGS, TOOLS } from "../support/hiding-server.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { untilListed } from "../support/seed-002.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const SERVER = fileURLToPath(new URL("../support/hiding-server.ts", import.meta.url));

let hub: SpawnedZaguan;
let client: RegistryClient;
before(async () => {
  hub = await spawnZaguan({
    config: { mcpServers: { hiding: { command: process.execPath, args: [SERVER, "serve"] } } },
  });
  client = new RegistryClient(hub.url);
  await untilListed(client, "honest");
});
after(() => hub?.stop());

const run = (...words: string[]) => runZaguan([...words, "--data", "data"], hub.folder);

describe("definitions that hide characters", () => {
  it("reach clients as they are", async () => {
    const { body } = await client.rpc("/mcp", "tools/list");
    const names = TOOLS.map(({ name }) => name);
    const listed = body.result.tools.filter(({ name }: { name: string }) => names.includes(name));
    assert.deepEqual(
      listed,
      TOOLS.map((tool) => ({ ...tool, scope: "global" })),
    );
    assert.deepEqual((await client.rpc("/mcp", "prompts/list")).body.result.prompts, PROMPTS);
  });

  it("are told in the registry, by code point", async () => {
    const tools = (await client.get("/mcp/tools/all")).body as { name: string; hidden?: string[] }[];
    const hidden = Object.fromEntries(tools.map((tool) => [tool.name, tool.hidden]));
    assert.deepEqual(hidden["turned"], ["U+202E"]);
    assert.deepEqual(hidden["told"], ["U+E006F", "U+E0062", "U+E0065", "U+E0079"]);
    assert.equal(hidden["honest"], undefined);
  });

  it("are told by the doctor: which server, which tool, prompt or agent, which characters", async () => {
    await client.done("POST", "/agents", { name: "helper", systemPrompt: "help\u200B", autonomy: "Auto" });
    const { code, stdout } = await run("doctor");
    assert.match(stdout, /Tool 'turned' of server 'hiding' .*: U\+202E/);
    assert.match(stdout, /Tool 'told' of server 'hiding' .*: U\+E006F, U\+E0062, U\+E0065, U\+E0079/);
    assert.match(stdout, /Prompt 'greet' .*: U\+200B/);
    assert.match(stdout, /Agent 'helper' .*: U\+200B/);
    assert.doesNotMatch(stdout, /honest/);
    assert.equal(code, 1);
  });

  it("are shown in lists of the command line", async () => {
    const { stdout } = await run("tools", "told");
    assert.match(stdout, /tells the time⟨U\+E006F⟩/);
    assert.ok(!stdout.includes(TAGS));
  });
});
