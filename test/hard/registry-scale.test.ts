/**
 * A registry of many servers: starting asks none of them, and what they offered is there all the same. How fast it is at
 * 1,000 servers is measured by `npm run measure:registry`; here nothing depends on time.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  fillRegistry,
  nameOf,
  offeredTools,
  type Player,
  playServers,
  TOOLS_OF_EACH,
  toolsOf,
} from "../support/many-servers.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const SERVERS = 200;
const TOOLS = SERVERS * TOOLS_OF_EACH;
/** The built-in house has these beside. */
const OF_THE_HOUSE = 6;

interface ToolShown {
  readonly id: string;
  readonly name: string;
  readonly serverName: string;
}

describe(`a registry of ${SERVERS} servers with ${TOOLS} tools, after a restart`, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-scale-"));
  let player: Player;
  let hub: SpawnedZaguan;
  let client: RpcOverHttp;
  let known: readonly ToolShown[];

  before(async () => {
    player = await playServers();
    const first = await start();
    const filling = new RpcOverHttp(first.url);
    await fillRegistry(first.url, player.url, SERVERS);
    known = await tools(filling);
    await filling.close();
    await first.stop();
    player.forget();
    hub = await start();
    client = new RpcOverHttp(hub.url);
  });

  after(async () => {
    await client?.close();
    await hub?.stop();
    await player?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("offers every tool under the id that it had, and has asked no server", async () => {
    assert.equal(known.length, TOOLS + OF_THE_HOUSE);
    assert.deepEqual(await tools(client), known);
    assert.equal((await offeredTools(client)).length, TOOLS + OF_THE_HOUSE);
    assert.equal(player.connections(), 0);
  });

  it("finds tools by words of their names and descriptions", async () => {
    const found = await tools(client, "?search=KELVIN");
    assert.equal(found.length, SERVERS);
    const one = await tools(client, `?search=${encodeURIComponent(`${nameOf(7)} unlock`)}`);
    assert.deepEqual([...new Set(one.map(({ serverName }) => serverName))], [nameOf(7)]);
    assert.deepEqual(await tools(client, "?search=nothing%20has%20this"), []);
    assert.equal(player.connections(), 0);
  });

  it("gives the list in pages that make up the whole", async () => {
    const pages: ToolShown[] = [];
    for (let offset = 0; offset < TOOLS + OF_THE_HOUSE; offset += 500) {
      pages.push(...(await tools(client, `?limit=500&offset=${offset}`)));
    }
    assert.deepEqual(pages, known);
  });

  it("tells those who have the list already that it is the same", async () => {
    const etag = String((await client.get("/mcp/tools/all")).headers["etag"]);
    const again = await client.get("/mcp/tools/all", { "if-none-match": etag });
    assert.deepEqual([again.status, again.text], [304, ""]);
  });

  it("connects to the one server whose tool is called, and to no other", async () => {
    const name = nameOf(42);
    const { reply } = await client.call((toolsOf(name)[0] as ToolShown).name, { room: "kitchen" });
    assert.equal(reply.result?.content?.[0]?.text, name);
    assert.deepEqual(player.asked(), [name]);
  });

  it("takes one more like the first one", async () => {
    const name = nameOf(SERVERS);
    await fillRegistry(hub.url, player.url, 1, SERVERS);
    const found = await tools(client, `?search=${name}`);
    assert.equal(found.length, TOOLS_OF_EACH);
    const all = await tools(client);
    assert.deepEqual(all.slice(0, known.length), known);
    assert.equal(all.length, known.length + TOOLS_OF_EACH);
  });

  function start(): Promise<SpawnedZaguan> {
    return spawnZaguan({ folder, config: { log: { level: "error" } } });
  }
});

async function tools(client: RpcOverHttp, query = ""): Promise<readonly ToolShown[]> {
  const answer = await client.get(`/mcp/tools/all${query}`);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as readonly ToolShown[];
}
