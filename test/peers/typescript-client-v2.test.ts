/**
 * The official TypeScript client of the 2.x line, which also knows the revision without a handshake: as it comes out of
 * the box, and in the mode where it first asks which era we live in.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type SpawnedZaguan, spawnZaguan, zaguanCommand } from "../support/spawn-zaguan.ts";
import { assertSwitched, HOUSE_TOOLS } from "./support/house.ts";
import { type ConnectOptions, connectV2, type PeerClient } from "./support/official-clients.ts";

const MODES: readonly (readonly [string, ConnectOptions])[] = [
  ["out of the box", {}],
  ["asking for the era first", { negotiation: "auto" }],
];

describe("TypeScript client v2 over HTTP", () => {
  let hub: SpawnedZaguan;
  before(async () => {
    hub = await spawnZaguan();
  });
  after(() => hub.stop());

  for (const [mode, options] of MODES)
    describe(mode, () => worksWithClient(() => connectV2(`${hub.url}/mcp`, options)));
});

describe("TypeScript client v2 over stdio", () => {
  const temp = mkdtempSync(join(tmpdir(), "zaguan-v2-"));
  const target = zaguanCommand("stdio", "--data", join(temp, "data"), "--config", join(temp, "zaguan.json"));
  after(() => rmSync(temp, { recursive: true, force: true }));

  for (const [mode, options] of MODES) describe(mode, () => worksWithClient(() => connectV2(target, options)));
});

function worksWithClient(connect: () => Promise<PeerClient>): void {
  let client: PeerClient;
  before(async () => {
    client = await connect();
  });
  after(() => client.close());

  test("it agrees on the newest revision with a handshake", () => {
    assert.equal(client.raw.getServerVersion()?.name, "zaguan");
    assert.equal(client.raw.getNegotiatedProtocolVersion?.(), "2025-11-25");
  });

  test("it lists the house", async () => {
    assert.deepEqual((await client.toolNames()).slice(0, HOUSE_TOOLS.length), HOUSE_TOOLS);
  });

  test("it switches a light", async () => {
    await client.tools();
    assertSwitched(await client.call("set_light_state", { name: "cocina", on: true }));
    assert.deepEqual((await client.call("list_lights_on")).structuredContent, { on: ["cocina"] });
  });

  test("it sees wrong arguments as a result, and an unknown tool as an error", async () => {
    assert.equal((await client.call("set_light_state", { name: 7 })).isError, true);
    await assert.rejects(client.call("no_such_tool"), { code: -32602 });
  });
}
