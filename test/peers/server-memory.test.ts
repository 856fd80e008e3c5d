/**
 * server-memory behind the hub, at its own address and in the whole catalogue, held against another one without a hub that
 * is told the same: a graph that grows, is searched, is a resource, and says when it changes.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { until } from "../support/processes.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { HOUSE_TOOLS } from "./support/house.ts";
import { connectV1, type PeerClient, type RawClient } from "./support/official-clients.ts";
import { memory } from "./support/official-servers.ts";

const GRAPH = "memory://knowledge-graph";
const ANA = { name: "Ana", entityType: "persona", observations: ["vive en Cádiz", "habla 中文"] };
const HOUSE = { name: "casa", entityType: "lugar", observations: [] };
const LIVES = { from: "Ana", to: "casa", relationType: "vive en" };

/** In this order: each builds on what was there before. */
const CALLS: readonly (readonly [string, object])[] = [
  ["create_entities", { entities: [ANA, HOUSE] }],
  ["create_entities", { entities: [ANA] }],
  ["create_relations", { relations: [LIVES] }],
  ["add_observations", { observations: [{ entityName: "Ana", contents: ["tiene 40 años"] }] }],
  ["add_observations", { observations: [{ entityName: "nadie", contents: ["x"] }] }],
  ["search_nodes", { query: "cádiz" }],
  ["open_nodes", { names: ["casa"] }],
  ["read_graph", {}],
  ["delete_entities", { entityNames: ["casa"] }],
  ["read_graph", {}],
];

describe("server-memory", () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-memory-"));
  const fileOf = (name: string): string => join(folder, `${name}.jsonl`);
  let hub: SpawnedZaguan;
  before(async () => {
    hub = await spawnZaguan({
      config: { mcpServers: { one: memory(fileOf("one")), all: memory(fileOf("all")) } },
    });
  });
  after(async () => {
    await hub.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  describe("at its own address", () => {
    remembers("/servers/one/mcp", (name) => name);
  });

  describe("in the whole catalogue", () => {
    // The other one was registered first, and has kept the names.
    remembers("/mcp", (name) => `all__${name}`);

    test("of two with the same resource, the first is asked", async () => {
      const client = await connectV1(`${hub.url}/mcp`);
      const { resources } = await client.raw.listResources();
      assert.deepEqual(
        resources.map(({ uri }) => uri),
        [GRAPH],
      );
      const { contents } = await client.raw.readResource({ uri: GRAPH });
      const first = await connectV1(`${hub.url}/servers/one/mcp`);
      assert.deepEqual(contents, (await first.raw.readResource({ uri: GRAPH })).contents);
      await Promise.all([client.close(), first.close()]);
    });
  });

  test("says of itself what it says without us", async () => {
    const [through, direct] = [await connectV1(`${hub.url}/servers/one/mcp`), await connectV1(memory(fileOf("new")))];
    const face = ({ raw }: PeerClient): unknown[] => [
      raw.getServerVersion(),
      raw.getServerCapabilities(),
      raw.getInstructions(),
    ];
    assert.deepEqual(face(through), face(direct));
    await Promise.all([through.close(), direct.close()]);
  });

  test("its graph is a resource, and who subscribed hears of every change", async () => {
    const address = `${hub.url}/servers/one/mcp`;
    // Two that can be asked would have a process each, as they have without a hub.
    const [reader, writer] = [await connectV1(address), await connectV1(address)];
    await reader.raw.subscribeResource({ uri: GRAPH });
    await writer.call("create_entities", { entities: [{ ...ANA, name: "Eva" }] });
    await until("the reader is told", () => reader.updatesOf(GRAPH) === 1);
    const { contents } = await reader.raw.readResource({ uri: GRAPH });
    assert.match(contents[0]?.text ?? "", /"Eva"/);
    assert.equal(writer.updatesOf(GRAPH), 0);
    await Promise.all([reader.close(), writer.close()]);
  });

  function remembers(place: string, nameOf: (name: string) => string): void {
    let through: PeerClient;
    let direct: PeerClient;
    before(async () => {
      through = await connectV1(`${hub.url}${place}`);
      direct = await connectV1(memory(fileOf(`direct-${place.length}`)));
    });
    after(() => Promise.all([through.close(), direct.close()]));

    test("lists its tools", async () => {
      const own = (await direct.tools()).map((tool) => ({ ...tool, name: nameOf(tool.name) }));
      const all = place === "/mcp" ? HOUSE_TOOLS.length + 2 * own.length : own.length;
      const listed = await through.toolsWhen(all);
      assert.deepEqual(listed.slice(-own.length), own);
      assert.equal(listed.length, all);
    });

    for (const [name, args] of CALLS) {
      test(`${name} ${JSON.stringify(args)}`, async () => {
        assert.deepEqual(await through.callRaw(nameOf(name), args), await direct.callRaw(name, args));
      });
    }

    if (place !== "/mcp") {
      test("lists its resources, and has no prompts to list", async () => {
        const lists = (raw: RawClient): Promise<unknown> => raw.listResources();
        assert.deepEqual(await through.wire(lists), await direct.wire(lists));
        assert.deepEqual(await promptsOf(through), await promptsOf(direct));
      });
    }
  }
});

/** A server without them refuses; the client itself may do so first. */
async function promptsOf({ raw }: PeerClient): Promise<unknown> {
  try {
    return await raw.listPrompts();
  } catch (error) {
    return { code: (error as { code?: unknown }).code, message: (error as Error).message };
  }
}
