/**
 * Agents over real sockets: making and changing them, what a link's settings do to a call, and that an agent's door shows
 * and calls only what is linked, in every dialect; whatever else there is does not exist there.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { overHttpSse, overWebSocket } from "../support/clients/carriers.ts";
import { answerTo, type McpClient } from "../support/clients/client.ts";
import { PostingClient } from "../support/clients/posting-client.ts";
import { SessionClient } from "../support/clients/session-client.ts";
import { TwoWayClient } from "../support/clients/two-way-client.ts";
import type { Message } from "../support/line-rpc.ts";
import { fieldsIn, RegistryClient, textIn } from "../support/registry-client.ts";
import { SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const PERSON = { type: "object", properties: { prompt: { type: "string" }, tono: { type: "string" } } };
const WRITE = { ...SEED_TOOL, name: "escribir", inputSchema: { ...PERSON, required: ["prompt", "tono"] } };

let hub: SpawnedZaguan;
let standIn: StandIn;
let client: RegistryClient;
before(async () => {
  standIn = await StandIn.start({ tools: [SEED_TOOL, WRITE] });
  standIn.result = (_, args) => JSON.stringify(args);
  hub = await spawnZaguan();
  client = new RegistryClient(hub.url);
  await client.found("letras", standIn.url);
});
after(async () => {
  await hub.stop();
  await standIn.close();
});

describe("agents", () => {
  let ana: Message;

  it("are made, and shown by id and by name", async () => {
    const body = { name: "Ana Núñez", description: "lee", systemPrompt: "Eres amable.", autonomy: "Manual" };
    const made = await client.post("/agents", body);
    assert.equal(made.status, 201);
    ana = made.body;
    assert.equal(made.headers.get("location"), `/agents/${ana.id}`);
    for (const [field, value] of Object.entries(body)) assert.equal(ana[field], value);
    for (const key of [ana.id, encodeURIComponent("Ana Núñez")]) {
      assert.deepEqual((await client.get(`/agents/${key}`)).body, ana);
    }
    assert.ok((await client.get("/agents")).body.some(({ id }: Message) => id === ana.id));
    assert.equal((await client.get("/agents/nadie")).status, 404);
  });

  it("are changed, by name too", async () => {
    const { status, body } = await client.patch(`/agents/${encodeURIComponent("Ana Núñez")}`, { autonomy: "Auto" });
    assert.deepEqual([status, body.autonomy, body.systemPrompt], [200, "Auto", "Eres amable."]);
    assert.equal((await client.patch(`/agents/${ana.id}`, { name: "ana" })).body.name, "ana");
    assert.equal((await client.get("/agents/ana")).body.id, ana.id);
    assert.equal((await client.get(`/agents/${encodeURIComponent("Ana Núñez")}`)).status, 404);
  });

  it("have names of their own; what does not fit is named", async () => {
    assert.equal((await client.post("/agents", { name: "ana" })).status, 409);
    for (const [body, field] of [
      [{}, "name"],
      [{ name: "b", autonomy: "Total" }, "autonomy"],
      [{ name: "b", systemPromt: "x" }, "systemPromt"],
      [{ name: 7 }, "name"],
    ] as const) {
      const answer = await client.post("/agents", body);
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(fieldsIn(answer), [field]);
    }
    assert.match((await client.post("/agents", { name: "b", systemPromt: "x" })).text, /systemPrompt/);
  });

  it("are linked once with a tool; a link has its own place and goes", async () => {
    const { status, body } = await client.post("/agents/ana/bindings", { toolId: "letras__escribir" });
    assert.deepEqual([status, body.agentId, body.enabled, body.config], [201, ana.id, true, null]);
    assert.equal((await client.post("/agents/ana/bindings", { toolId: body.toolId })).status, 409);
    const links = (await client.get("/agents/ana/bindings")).body;
    assert.deepEqual(
      links.map(({ id, toolId }: Message) => [id, toolId]),
      [[body.id, body.toolId]],
    );
    assert.equal((await client.delete(`/agents/ana/bindings/${body.id}`)).status, 204);
    assert.deepEqual((await client.get("/agents/ana/bindings")).body, []);
    assert.equal((await client.delete(`/agents/ana/bindings/${body.id}`)).status, 404);
  });

  it("are not linked with what is not there, nor by a link that does not fit", async () => {
    const unknown = await client.post("/agents/ana/bindings", { toolId: "00000000-0000-4000-8000-000000000000" });
    assert.ok(unknown.status === 404 || unknown.status === 400, unknown.text);
    assert.equal((await client.post("/agents/nadie/bindings", { toolId: "letras__escribir" })).status, 404);
    for (const [body, field] of [
      [{}, /^toolId/],
      [{ toolId: "letras__escribir", enabled: "yes" }, /^enabled/],
      [{ toolId: "letras__escribir", config: { fixedArgument: {} } }, /^config/],
      [{ toolId: "letras__escribir", config: { allowedArguments: "prompt" } }, /^config/],
    ] as const) {
      const answer = await client.post("/agents/ana/bindings", body);
      assert.equal(answer.status, 400, answer.text);
      assert.match(fieldsIn(answer).join(), field);
    }
  });

  it("are removed with their links and their door", async () => {
    await client.post("/agents/ana/bindings", { toolId: "letras__escribir" });
    assert.equal((await client.delete("/agents/ana")).status, 204);
    for (const path of ["/agents/ana", "/agents/ana/bindings", `/agents/${ana.id}`]) {
      assert.equal((await client.get(path)).status, 404);
    }
    assert.equal((await client.rpc("/agents/ana/mcp", "tools/list")).status, 404);
    assert.equal((await client.get("/mcp/tools?serverId=letras")).body.length, 2);
  });
});

describe("a link's settings", () => {
  const bind = (agent: string, more: object): Promise<Message> =>
    client.done("POST", `/agents/${agent}/bindings`, { toolId: "letras__escribir", ...more });
  const sent = (): unknown => standIn.calls.at(-1)?.params?.arguments;

  it("give fixed arguments with every call, which the agent neither sees nor changes", async () => {
    await client.agent("fijo");
    await bind("fijo", { config: { fixedArguments: { tono: "formal" } } });
    const [tool] = (await client.rpc("/agents/fijo/mcp", "tools/list")).body.result.tools;
    assert.ok(!("tono" in tool.inputSchema.properties), JSON.stringify(tool));
    assert.deepEqual(tool.inputSchema.required, ["prompt"]);
    await client.textOf("/agents/fijo/mcp", "escribir", { prompt: "hola" });
    assert.deepEqual(sent(), { prompt: "hola", tono: "formal" });
    const before = standIn.calls.length;
    await client.call("/agents/fijo/mcp", "escribir", { prompt: "hola", tono: "grosero" });
    for (const { params } of standIn.calls.slice(before)) assert.equal(params?.arguments?.["tono"], "formal");
  });

  it("are read whole by administrators; another key sees that an argument is fixed, the agent nothing of it", async () => {
    await client.agent("callado");
    const config = { fixedArguments: { tono: "un secreto", prompt: { a: 1 } }, allowedArguments: ["prompt"] };
    await bind("callado", { config });
    const made = async (body: object) => client.withKey((await client.done("POST", "/keys", body)).key);
    const configFor = async (who: RegistryClient): Promise<unknown> =>
      (await who.done("GET", "/agents/callado/bindings"))[0].config;
    assert.deepEqual(await configFor(client), config);
    assert.deepEqual(await configFor(await made({ name: "dueña", admin: true })), config);
    const shown = { ...config, fixedArguments: { tono: "[redacted]", prompt: "[redacted]" } };
    assert.deepEqual(await configFor(await made({ name: "visita" })), shown);
    const itself = client.withKey((await client.done("POST", "/agents/callado/key")).key);
    assert.deepEqual(await configFor(itself), { allowedArguments: ["prompt"] });
  });

  it("let the agent give only the arguments that are allowed", async () => {
    await client.agent("limitado");
    const config = { allowedArguments: ["prompt"], fixedArguments: { tono: "serio" } };
    await bind("limitado", { config });
    await client.textOf("/agents/limitado/mcp", "escribir", { prompt: "hola" });
    assert.deepEqual(sent(), { prompt: "hola", tono: "serio" });
    const before = standIn.calls.length;
    const { body } = await client.call("/agents/limitado/mcp", "escribir", { prompt: "hola", secreto: 1 });
    assert.equal(body.error?.code, -32602, JSON.stringify(body));
    assert.match(body.error.message, /secreto/);
    assert.equal(standIn.calls.length, before, "nothing was sent");
  });

  it("are of the agent alone: in the whole catalogue the tool is as it was", async () => {
    await client.textOf("/mcp", "escribir", { prompt: "hola", tono: "libre" });
    assert.deepEqual(sent(), { prompt: "hola", tono: "libre" });
  });

  it("take a link out of use and into use again", async () => {
    await client.agent("apagado");
    const { id } = await bind("apagado", { enabled: false });
    assert.deepEqual(await client.names("/agents/apagado/mcp"), []);
    assert.equal((await client.call("/agents/apagado/mcp", "escribir", {})).body.error.code, -32602);
    assert.equal((await client.get("/agents/apagado/bindings")).body[0].enabled, false);
    assert.equal((await client.patch(`/agents/apagado/bindings/${id}`, { enabled: true })).body.enabled, true);
    assert.deepEqual(await client.names("/agents/apagado/mcp"), ["escribir"]);
  });
});

describe("an agent's door", () => {
  before(() => client.agent("lector", "letras__nombre-herramienta"));

  const at = (path: string): string => `${hub.url}/agents/lector${path}`;
  const DIALECTS: Readonly<Record<string, () => McpClient | Promise<McpClient>>> = {
    "bare JSON-RPC": () => new PostingClient("2025", at("/mcp")),
    "a session of 2025": () => SessionClient.open(at("/mcp")),
    "2026-07-28 over HTTP": () => new PostingClient("2026", at("/mcp")),
    "WebSocket, 2025": () => TwoWayClient.open("2025", overWebSocket(at("/mcp"))),
    "WebSocket, 2026-07-28": () => TwoWayClient.open("2026", overWebSocket(at("/mcp"))),
    "HTTP+SSE": () => TwoWayClient.open("2025", overHttpSse(at("/sse"))),
  };

  for (const [dialect, open] of Object.entries(DIALECTS)) {
    it(`shows and calls only what is linked: ${dialect}`, async () => {
      const agent = await open();
      const { result } = await answerTo(agent.request("tools/list", {}));
      const tools = result?.["tools"] as { name: string }[];
      assert.deepEqual(
        tools.map(({ name }) => name),
        [SEED_TOOL.name],
      );
      const params = { name: SEED_TOOL.name, arguments: { prompt: "hola" } };
      const called = await answerTo(agent.request("tools/call", params));
      assert.equal(textIn(called.result), '{"prompt":"hola"}');
      agent.leave();
    });

    it(`does not tell what is hidden from what there is not: ${dialect}`, async () => {
      const agent = await open();
      const before = standIn.calls.length;
      const refused = async (name: string): Promise<string> => {
        const answer = await answerTo(agent.request("tools/call", { name, arguments: { prompt: "a", tono: "b" } }));
        const { id: _, ...rest } = answer;
        assert.ok(rest.error ?? rest.result?.["isError"], JSON.stringify(rest));
        return JSON.stringify(rest).replaceAll(name, "NAME");
      };
      const nothing = await refused("no-hay");
      for (const hidden of ["escribir", "letras__escribir", "get_presence", "house__get_presence"]) {
        assert.equal(await refused(hidden), nothing);
      }
      assert.equal(standIn.calls.length, before);
      agent.leave();
    });
  }

  it("is not there for an agent that is not there", async () => {
    for (const path of ["/agents/nadie/mcp", "/agents/nadie/sse"]) {
      const { status } = path.endsWith("sse") ? await client.get(path) : await client.rpc(path, "tools/list");
      assert.equal(status, 404, path);
    }
  });
});
