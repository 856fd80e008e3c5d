/** Servers that mean harm, or know no measure, at a real hub: what does not fit is left out alone, and the rest works. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { bare, type CallOptions, SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const ARGS = { prompt: "hola" };
const MANY = 5_000;
const DEEP = 5_000;

let hub: SpawnedZaguan;
let client: RegistryClient;
const standIns: StandIn[] = [];
before(async () => {
  hub = await spawnZaguan();
  client = new RegistryClient(hub.url);
});
after(async () => {
  await hub.stop();
  for (const standIn of standIns) await standIn.close();
});

async function start(...options: Parameters<typeof StandIn.start>): Promise<StandIn> {
  const standIn = await StandIn.start(...options);
  standIns.push(standIn);
  return standIn;
}

/** A server whose list is this text. */
function listing(tools: string): CallOptions {
  return (told, server) =>
    told.method === "tools/list"
      ? `{"jsonrpc":"2.0","id":${JSON.stringify(told.id)},"result":{"tools":[${tools}]}}`
      : bare(told, server);
}

const plain = (name: string): string => JSON.stringify({ ...SEED_TOOL, name });
const withSchema = (name: string, schema: string): string =>
  `{"name":${JSON.stringify(name)},"description":"x","inputSchema":${schema}}`;
const nested = `${'{"type":"object","properties":{"a":'.repeat(DEEP)}{}${"}}".repeat(DEEP)}`;

const HOSTILE: Readonly<Record<string, string>> = {
  "nested 5,000 deep": nested,
  "nested 100 deep": `${'{"type":"object","properties":{"a":'.repeat(100)}{}${"}}".repeat(100)}`,
  "no schema": '"object"',
  "a wrong type": '{"type":"objekt"}',
  "a reference to elsewhere": '{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/schema.json"}}}',
  "a reference to itself": '{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}',
  "a pattern that never ends": '{"type":"object","properties":{"prompt":{"type":"string","pattern":"^(a+)+$"}}}',
};

for (const [server, what, schema] of [
  ["honda", "a schema nested 5,000 deep", nested],
  ["rara", "something that is no schema", '"object"'],
] as const) {
  describe(`5,000 tools, and one of them has ${what}`, () => {
    const names = Array.from({ length: MANY - 1 }, (_, index) => `${server}${index}`);
    const last = `${server}${MANY - 2}`;

    it("are stored, but for the one", async () => {
      const texts = names.map(plain);
      texts.splice(2_000, 0, withSchema("hostil", schema));
      const standIn = await start({ http: listing(texts.join(",")) });
      const tools = await client.found(server, standIn.url);
      const good = tools.filter(({ name, quarantine }) => name !== "hostil" && quarantine === undefined);
      assert.deepEqual(
        good.map(({ name }) => name),
        names,
      );
      const stored = (await client.get(`/mcp/tools?serverId=${server}`)).body;
      const hostile = stored.find(({ name }: Message) => name === "hostil");
      assert.ok(hostile === undefined || hostile.quarantine, "it is shown only with the reason why it is kept back");
    });

    it("are offered, but for the one", async () => {
      const offered = await client.names("/mcp");
      assert.equal(offered.filter((name) => name.startsWith(server)).length, MANY - 1);
      assert.ok(!offered.some((name) => name.endsWith("hostil")));
      assert.equal((await client.call("/mcp", `${server}__hostil`, {})).body.error.code, -32602);
      assert.equal(await client.textOf("/mcp", last, ARGS), `${last}: hola`);
      assert.equal((await client.get(`/mcp/tools/all?search=${last}`)).body[0].name, last);
    });

    it("are linked one by one", async () => {
      await client.agent(`agente-${server}`, `${server}__${last}`);
      assert.deepEqual(await client.names(`/agents/agente-${server}/mcp`), [last]);
    });
  });
}

describe("one tool that is not fit", () => {
  for (const [what, schema] of Object.entries(HOSTILE)) {
    it(`does no harm to the one beside it: ${what}`, async () => {
      const name = what.replaceAll(/[^a-z0-9]+/g, "-");
      const standIn = await start({ http: listing([withSchema("mala", schema), plain("buena")].join(",")) });
      const tools = await client.found(name, standIn.url);
      assert.ok(
        tools.some((tool) => tool.name === "buena" && tool.quarantine === undefined),
        JSON.stringify(tools),
      );
      assert.equal(await client.textOf("/mcp", `${name}__buena`, ARGS), "buena: hola");
      const answer = await client.call("/mcp", `${name}__mala`, { prompt: `${"a".repeat(5_000)}!` });
      assert.ok(answer.body.error ?? answer.body.result, answer.text);
    });
  }

  it("is a tool without a name, or with one that is none", async () => {
    const bad = ['{"description":"x"}', withSchema("", "{}"), '{"name":7,"inputSchema":{}}', "null", "[]", '"t"'];
    const standIn = await start({ http: listing([...bad, plain("buena")].join(",")) });
    const tools = await client.found("sin-nombre", standIn.url);
    assert.ok(
      tools.some(({ name }) => name === "buena"),
      JSON.stringify(tools),
    );
    assert.equal(await client.textOf("/mcp", "sin-nombre__buena", ARGS), "buena: hola");
  });

  it("is a second tool of the same name", async () => {
    const standIn = await start({ http: listing([plain("doble"), plain("doble"), plain("buena")].join(",")) });
    const tools = await client.found("doble", standIn.url);
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["doble", "buena"],
    );
  });
});

describe("a list of 10 MB", () => {
  it("is taken or refused as a whole, and nothing else suffers", async () => {
    const long = "x".repeat(1_000_000);
    const texts = Array.from({ length: 11 }, (_, index) => `{"name":"g${index}","description":"${long}"}`);
    const standIn = await start({ http: listing(texts.join(",")) });
    await client.done("POST", "/mcp/servers", { name: "grande", baseUrl: standIn.url });
    const { status, body } = await client.post("/mcp/servers/grande/discover");
    if (status === 200) assert.equal(body.tools.length, 11);
    else assert.deepEqual([status, body.code], [503, "NOT_DISCOVERED"], JSON.stringify(body));
    const small = await start();
    await client.found("chico", small.url);
    assert.equal(await client.textOf("/mcp", "chico__nombre-herramienta", ARGS), "nombre-herramienta: hola");
    assert.ok((await client.names("/mcp")).includes("get_presence"));
    assert.equal((await client.get("/health")).status, 200);
  });
});

describe("what is no list at all", () => {
  it("is an error of that server", async () => {
    const answers = { text: '"x"', nothing: "null", object: "{}", tools: '{"tools":{}}' };
    await Promise.all(Object.entries(answers).map(([name, result]) => assertNotFound(`no-list-${name}`, result)));
  });

  async function assertNotFound(name: string, result: string): Promise<void> {
    const answer = (id: unknown): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
    const http: CallOptions = (told, server) => (told.method === "tools/list" ? answer(told.id) : bare(told, server));
    await client.done("POST", "/mcp/servers", { name, baseUrl: (await start({ http })).url });
    const { status, body } = await client.post(`/mcp/servers/${name}/discover`);
    assert.deepEqual([status, body.code], [503, "NOT_DISCOVERED"], JSON.stringify(body));
  }
});
