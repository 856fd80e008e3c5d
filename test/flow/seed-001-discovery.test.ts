/**
 * Finding the tools of servers on real sockets (seed 001 §1, §3, §6.1), and calling them the way they were found: those
 * that speak HTTP, and those that speak only WebSocket. Servers that fail are in `seed-001-failures.test.ts`.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient, textIn } from "../support/registry-client.ts";
import {
  always,
  complaining,
  deaf,
  greeted,
  offended,
  SEED_TOOL,
  StandIn,
  type StandInOptions,
  strictlyBare,
} from "../support/registry-servers.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const PASCAL_TOOL = {
  Name: "resumir",
  Description: "Resume un texto",
  Namespace: "textos",
  InputSchema: { type: "object", properties: { prompt: { type: "string" } } },
};

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

async function start(options: StandInOptions): Promise<StandIn> {
  const standIn = await StandIn.start(options);
  standIns.push(standIn);
  return standIn;
}

/** Servers that must be found, and how each wants to be spoken to. */
const FOUND: readonly (readonly [name: string, what: string, options: StandInOptions, path?: string])[] = [
  ["bare", "plain JSON-RPC over POST", {}],
  ["bare-path", "plain JSON-RPC at a path of its own", {}, "/api/tools"],
  ["strictly-bare", "plain JSON-RPC, 400 for whatever it does not know", { http: strictlyBare }],
  ["socket-here", "WebSocket at the URL, 404 for HTTP", { http: always(404), frames: greeted, socketPath: "/" }],
  [
    "socket-426",
    "WebSocket at a path, 426 for HTTP",
    { http: always(426), frames: greeted, socketPath: "/mcp" },
    "/mcp",
  ],
  ["socket-ws", "WebSocket at the URL with /ws", { http: always(404), frames: greeted }],
  [
    "socket-405",
    "WebSocket at a path with /ws, 405 for HTTP",
    { http: always(405), frames: greeted, socketPath: "/a/ws" },
    "/a",
  ],
  ["deaf", "WebSocket, no notice of initialized", { http: always(404), frames: deaf }],
  ["offended", "WebSocket, gone at the first word that is not the seed's", { http: always(404), frames: offended }],
  ["complaining", "WebSocket, an error for every notification", { http: always(404), frames: complaining }],
];

for (const [name, what, options, path = ""] of FOUND) {
  describe(`a server with ${what}`, () => {
    let standIn: StandIn;
    it("is found, with its tools as it describes them", async () => {
      standIn = await start(options);
      const [tool, ...others] = await client.found(name, `${standIn.url}${path}`);
      assert.deepEqual(others, []);
      assert.deepEqual([tool.name, tool.description, tool.scope], ["nombre-herramienta", "descripción", "global"]);
      assert.deepEqual(tool.inputSchema, SEED_TOOL.inputSchema);
      const [newest] = (await client.get(`/mcp/servers/${name}/discovery`)).body;
      assert.deepEqual([newest.ok, newest.tools], [true, 1]);
    });

    it("is called through the whole catalogue, through its own door and by an agent, by the transport that was found", async () => {
      await client.agent(`agente-${name}`, `${name}__nombre-herramienta`);
      const args = { prompt: "mensaje del usuario" };
      const said = "nombre-herramienta: mensaje del usuario";
      assert.equal(await client.textOf("/mcp", `${name}__nombre-herramienta`, args), said);
      assert.equal(await client.textOf(`/agents/agente-${name}/mcp`, `${name}__nombre-herramienta`, args), said);
      const { status, body } = await client.call(`/servers/${name}/mcp`, "nombre-herramienta", args);
      assert.equal(status, 200);
      assert.equal(typeof body.result === "string" ? body.result : textIn(body.result), said);
      const expected = options.frames ? "websocket" : "http";
      assert.deepEqual(
        standIn.calls.map(({ over }) => over),
        [expected, expected, expected],
      );
      assert.deepEqual(
        standIn.calls.map(({ params }) => params?.arguments),
        [args, args, args],
      );
    });
  });
}

describe("the greeting over WebSocket", () => {
  it("is the seed's: initialize, its answer, notifications/initialized, tools/list", async () => {
    const standIn = await start({ http: always(404), frames: greeted });
    await client.found("greeted", standIn.url);
    const frames = standIn.told.filter(({ over, method }) => over === "websocket" && method !== "server/discover");
    const [{ id, params } = { id: 0, params: {} }, ...others] = frames;
    assert.notEqual(id, undefined);
    assert.ok("protocolVersion" in (params ?? {}));
    const methods = others.map(({ method }) => method);
    assert.deepEqual(methods, ["notifications/initialized", "tools/list"], "and nothing is said twice");
  });
});

describe("tools with PascalCase keys", () => {
  it("are understood: Namespace is the scope, and the tool works everywhere", async () => {
    const standIn = await start({ tools: [PASCAL_TOOL] });
    const [tool] = await client.found("pascal", standIn.url);
    assert.deepEqual([tool.name, tool.description, tool.scope], ["resumir", "Resume un texto", "textos"]);
    assert.deepEqual(tool.inputSchema, PASCAL_TOOL.InputSchema);
    const { tools } = (await client.rpc("/mcp", "tools/list")).body.result;
    const offered = tools.find(({ name }: Message) => name === "resumir");
    assert.deepEqual([offered.description, offered.inputSchema], ["Resume un texto", PASCAL_TOOL.InputSchema]);
    assert.equal(await client.textOf("/mcp", "resumir", { prompt: "a" }), "resumir: a");
    assert.equal(await client.textOf("/servers/pascal/mcp", "resumir", { prompt: "a" }), "resumir: a");
  });
});

describe("a server that was only registered", () => {
  it("is left alone until somebody wants something of it", async () => {
    const [left, asked] = [await start({}), await start({})];
    const { status } = await client.post("/mcp/servers", { name: "left-alone", baseUrl: left.url });
    assert.equal(status, 201);
    await client.found("asked", asked.url);
    await client.names("/mcp");
    assert.deepEqual(left.told, []);
  });
});
