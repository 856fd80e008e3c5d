/**
 * Seed 001 as a test, section by section, over real sockets at a real hub: requests as its document prints them. Written
 * from the documents alone. Its section 6 is in `seed-001-flow.test.ts`, servers of many kinds in
 * `seed-001-discovery.test.ts` and `seed-001-failures.test.ts`.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { RegistryClient, textIn } from "../support/registry-client.ts";
import { SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import { openSocket, refusal } from "../support/socket-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const LIST = '{"jsonrpc":"2.0","id":"guid-unico","method":"tools/list","params":{}}';
const CALL =
  '{"jsonrpc":"2.0","id":"guid-unico","method":"tools/call","params":{"name":"nombre-herramienta","arguments":{"prompt":"mensaje del usuario"}}}';
const INITIALIZE = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05",
  "capabilities":{"tools":{}},"clientInfo":{"name":"AutoAgentes","version":"1.0.0"}}}`;
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}';
const SOCKET_LIST = '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}';
const SOCKET_CALL =
  '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"nombre-herramienta","arguments":{"prompt":"mensaje del usuario"}}}';
const SAID = "nombre-herramienta: mensaje del usuario";
const AS_AUTOAGENTES = { "content-type": "application/json; charset=utf-8" };

const INITIALIZE_PARAMS = {
  protocolVersion: "2024-11-05",
  capabilities: {},
  clientInfo: { name: "AutoAgentes", version: "1.0.0" },
};

let hub: SpawnedZaguan;
let server: StandIn;
let client: RegistryClient;
before(async () => {
  server = await StandIn.start();
  hub = await spawnZaguan();
  client = new RegistryClient(hub.url);
  await client.found("local", server.url);
});
after(async () => {
  await hub.stop();
  await server.close();
});

for (const path of ["/mcp", "/"]) {
  describe(`1. Descubrimiento de Herramientas (HTTP): POST ${path}`, () => {
    for (const [what, request] of [
      ["as printed", LIST],
      ["as AutoAgentes writes it", LIST.replace("jsonrpc", "Jsonrpc")],
    ] as const) {
      it(`lists without a handshake, ${what}`, async () => {
        const { status, headers, body } = await client.post(path, request, AS_AUTOAGENTES);
        assert.equal(status, 200);
        assert.match(headers.get("content-type") ?? "", /^application\/json/);
        assert.equal(headers.get("mcp-session-id"), null);
        assert.deepEqual(Object.keys(body).sort(), ["id", "jsonrpc", "result"]);
        assert.deepEqual([body.jsonrpc, body.id], ["2.0", "guid-unico"]);
        const tools = body.result.tools as { name: string; description: string; inputSchema: { type: string } }[];
        assert.ok(
          tools.some(({ name }) => name === "get_presence"),
          "the house is there",
        );
        assert.ok(tools.every(({ description, inputSchema }) => description && inputSchema.type === "object"));
        const listed = tools.find(({ name }) => name === SEED_TOOL.name);
        assert.partialDeepStrictEqual(listed, SEED_TOOL, "with its scope");
      });
    }
  });

  describe(`2. Llamada a Herramienta (HTTP): POST ${path}`, () => {
    for (const [what, request] of [
      ["as printed", CALL],
      ["as AutoAgentes writes it", CALL.replace("jsonrpc", "Jsonrpc")],
    ] as const) {
      it(`calls a server whose result is a text, ${what}`, async () => {
        const { status, headers, text, body } = await client.post(path, request, AS_AUTOAGENTES);
        assert.equal(status, 200, text);
        assert.match(headers.get("content-type") ?? "", /^application\/json/);
        assert.deepEqual([body.jsonrpc, body.id], ["2.0", "guid-unico"]);
        assert.equal(textIn(body.result), SAID);
        assert.deepEqual(server.calls.at(-1)?.params?.arguments, { prompt: "mensaje del usuario" });
      });
    }
  });
}

for (const path of ["/mcp", "/ws"]) {
  for (const greeting of [[INITIALIZED], []]) {
    const how = greeting.length > 0 ? "after the whole greeting" : "without notifications/initialized";
    describe(`3.–4. WebSocket at ${path}, ${how}`, () => {
      it("answers initialize with id 1 in the revision asked for, then the list with id 2", async () => {
        const socket = await openSocket(`${hub.url}${path}`);
        const welcome = await socket.ask(INITIALIZE);
        assert.equal(welcome.id, 1);
        assert.equal(welcome.result?.["protocolVersion"], "2024-11-05");
        assert.match(JSON.stringify(welcome.result), /"capabilities":\{.*"tools":/);
        for (const frame of greeting) socket.send(frame);
        const { id, result } = await socket.ask(SOCKET_LIST);
        assert.equal(id, 2);
        const tools = result?.["tools"] as { name: string }[];
        assert.deepEqual(
          tools.find(({ name }) => name === SEED_TOOL.name),
          SEED_TOOL,
        );
        socket.socket.close();
      });

      it("calls with id 2", async () => {
        const socket = await openSocket(`${hub.url}${path}`);
        assert.equal((await socket.ask(INITIALIZE)).id, 1);
        for (const frame of greeting) socket.send(frame);
        const { id, result } = await socket.ask(SOCKET_CALL);
        assert.equal(id, 2);
        assert.equal(textIn(result), SAID);
        socket.socket.close();
      });
    });
  }

  it(`3. AutoAgentes' own frames at ${path}: Jsonrpc, no capabilities, nothing between`, async () => {
    const socket = await openSocket(`${hub.url}${path}`);
    const initialize = JSON.stringify({ Jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE_PARAMS });
    assert.equal((await socket.ask(initialize)).id, 1);
    const list = await socket.ask(SOCKET_LIST.replace("jsonrpc", "Jsonrpc"));
    assert.equal(list.id, 2);
    assert.ok(Array.isArray(list.result?.["tools"]));
    socket.socket.close();
  });
}

describe("7. Manejo de Errores: WebSocket", () => {
  it("a failed upgrade has a plain answer", async () => {
    assert.equal((await refusal(`${hub.url}/nowhere`)).status, 404);
    assert.equal((await refusal(`${hub.url}/agents/nobody/mcp`)).status, 404);
    assert.equal((await refusal(`${hub.url}/mcp`, { origin: "https://evil.example" })).status, 403);
  });
});

describe("8. Validaciones: formato JSON-RPC 2.0", () => {
  for (const path of ["/mcp", "/"]) {
    for (const [what, request, status, code] of [
      ["no JSON", '{"jsonrpc":"2.0",', 400, -32700],
      ["no request", '{"jsonrpc":"2.0","id":7}', 400, -32600],
      ["another version", LIST.replace("2.0", "1.0"), 400, -32600],
      ["a spelling that nobody uses", LIST.replace("jsonrpc", "JSONRPC"), 400, -32600],
      ["an unknown method", LIST.replace("tools/list", "tools/lost"), 404, -32601],
      ["an unknown tool", CALL.replace("nombre-herramienta", "otra"), 400, -32602],
      ["a missing argument", CALL.replace('"prompt":"mensaje del usuario"', ""), 400, -32602],
    ] as const) {
      it(`POST ${path}: ${what} is ${code} with HTTP ${status}`, async () => {
        const answer = await client.post(path, request, AS_AUTOAGENTES);
        assert.deepEqual([answer.status, answer.body?.error?.code], [status, code], answer.text);
      });
    }
  }

  it("names the argument that is missing, and does not bother the server", async () => {
    const before = server.calls.length;
    const { body } = await client.call("/mcp", SEED_TOOL.name, {});
    assert.match(body.error.message, /^Invalid params: missing required parameter 'prompt'/);
    assert.equal(server.calls.length, before);
  });
});
