/**
 * HandsAI's bridge in front of a real hub that wants a key: the original from its registry where it can be had, and always
 * its requests, replayed. Both are driven as an MCP client drives them, and must be served alike.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { LineRpc, type Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { parameter, toolBody } from "../support/seed-004.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { WeatherApi } from "../support/weather-api.ts";
import { goBridge } from "./handsai-go.ts";

const REPLAY = fileURLToPath(new URL("handsai-bridge-replay.ts", import.meta.url));
const STORED_KEY = "llave-guardada-9";
const folder = mkdtempSync(join(tmpdir(), "zaguan-handsai-"));
const original = await goBridge(join(folder, "go"));

let weather: WeatherApi;
let hub: SpawnedZaguan;
let key: string;

before(async () => {
  weather = await WeatherApi.start();
  const config = { auth: { requireKey: true } };
  hub = await spawnZaguan({ config, args: ["--allow-private"] });
  const made = await runZaguan(["key", "create", "bridge", "--admin", "--data", "data"], hub.folder);
  key = made.stdout.trim();
  const described = toolBody("clima", "/v1/current.json", {
    authenticationType: "API_KEY",
    apiKeyLocation: "QUERY_PARAMETER",
    apiKeyName: "key",
    apiKeyValue: STORED_KEY,
    parameters: [parameter("q", { required: true }), parameter("key", { required: true })],
  });
  const admin = new RegistryClient(hub.url).withKey(key);
  const { status, text } = await admin.post("/admin/tools/api", { baseUrl: weather.url, ...described });
  assert.equal(status, 201, text);
});
after(async () => {
  await hub?.stop();
  await weather?.close();
  rmSync(folder, { recursive: true });
});

describe("HandsAI's bridge, replayed from its source", () => {
  served((token) => start(token, process.execPath, REPLAY, hub.url));
});

describe("HandsAI's bridge itself", { skip: "missing" in original && original.missing }, () => {
  served((token) => {
    const program = "program" in original ? original.program : "";
    writeFileSync(join(folder, "go", "config.json"), JSON.stringify({ handsaiUrl: hub.url }));
    return start(token, program);
  });
});

function start(token: string, ...words: readonly string[]): LineRpc {
  return new LineRpc({ command: "env", args: [`HANDSAI_TOKEN=${token}`, ...words] }, folder);
}

function served(launch: (token: string) => LineRpc): void {
  it("lists the hub's tools and calls them, with the hub's key as its token", async () => {
    const bridge = launch(key);
    const { result: greeting } = await bridge.ask(rpc(0, "initialize", { protocolVersion: "2024-11-05" }));
    assert.equal(greeting.protocolVersion, "2024-11-05");
    bridge.send({ jsonrpc: "2.0", method: "notifications/initialized" });

    const { result: list } = await bridge.ask(rpc(1, "tools/list"));
    const names = list.tools.map(({ name }: Message) => name);
    for (const name of ["set_light_state", "get_all_states", "clima", "handsai_sync_tools"]) {
      assert.ok(names.includes(name), `${name} is not among ${names}`);
    }
    const { inputSchema } = list.tools.find(({ name }: Message) => name === "clima");
    assert.deepEqual(inputSchema.required, ["q"], "the stored key is nobody's argument");

    const lamp = { name: "set_light_state", arguments: { name: "salon", on: true } };
    assert.deepEqual(JSON.parse(textIn(await bridge.ask(rpc("dos", "tools/call", lamp)))), { ok: true });
    const clima = { name: "clima", arguments: { q: "Buenos Aires" } };
    assert.match(textIn(await bridge.ask(rpc(3, "tools/call", clima))), /Buenos Aires/);
    assert.equal(weather.last.query.get("key"), STORED_KEY);
    assert.equal(await bridge.end(), 0);
  });

  it("shows the model why a call was refused", async () => {
    const bridge = launch(key);
    const unknown = { name: "no_such_tool", arguments: {} };
    assert.match(textIn(await bridge.ask(rpc(1, "tools/call", unknown))), /-32602.*no_such_tool/);
    const missing = { name: "clima", arguments: {} };
    assert.match(textIn(await bridge.ask(rpc(2, "tools/call", missing))), /missing required parameter 'q'/);
    assert.equal(await bridge.end(), 0);
  });

  it("is refused with another token, and without one", async () => {
    for (const token of ["zgn_wrong", ""]) {
      const bridge = launch(token);
      const { error } = await bridge.ask(rpc(1, "tools/list"));
      assert.deepEqual([error.code, error.message], [-32603, "HTTP 401"]);
      assert.equal(await bridge.end(), 0);
    }
  });
}

function rpc(id: number | string, method: string, params: object = {}): object {
  return { jsonrpc: "2.0", id, method, params };
}

function textIn({ result }: Message): string {
  assert.equal(result.content.length, 1);
  return result.content[0].text;
}
