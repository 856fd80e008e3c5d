/** REST APIs from both ends, with a real hub in a process of its own: imported by the command, and named in zaguan.json. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { cleanEnvironment, type SpawnedZaguan, spawnZaguan } from "../../../test/support/spawn-zaguan.ts";
import { main } from "../main.ts";

/** Says what it was asked. */
const api = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ url: request.url, isKnown: request.headers["x-key"] === "hunter2" }));
});
let address = "";
let hub: SpawnedZaguan;
let pets = "";

before(async () => {
  api.listen(0, "127.0.0.1");
  await once(api, "listening");
  address = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  hub = await spawnZaguan({
    args: ["--allow-private"],
    env: { WEATHER_KEY: "hunter2" },
    config: { apiTools: { weather: weather() } },
  });
  pets = join(hub.folder, "pets.json");
  writeFileSync(pets, documentWith("showPet"));
});
after(async () => {
  await hub?.stop();
  api.close().closeAllConnections();
});

function weather(): object {
  const parameters = [{ name: "city" }, { name: "days", type: "integer", default: 3 }];
  const value = `$${"{WEATHER_KEY}"}`;
  return {
    baseUrl: address,
    auth: { type: "apiKey", in: "header", name: "X-Key", value },
    tools: [{ name: "forecast", description: "What comes", path: "/v1/{city}", parameters }],
  };
}

function documentWith(operationId: string): string {
  const key = { type: "apiKey", in: "header", name: "X-Key" };
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Pet shop", version: "1" },
    servers: [{ url: `${address}/pets` }],
    components: { securitySchemes: { key } },
    security: [{ key: [] }],
    paths: { "/{id}": { get: { operationId, parameters: [id], responses: { 200: { description: "ok" } } } } },
  });
}

async function zaguan(...words: string[]) {
  let [out, err] = ["", ""];
  const code = await main(words, {
    env: cleanEnvironment({ ZAGUAN_DATA: join(hub.folder, "data"), ZAGUAN_CONFIG: hub.configFile }),
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { code, out, err };
}

async function called(...words: string[]): Promise<unknown> {
  const { code, out, err } = await zaguan("call", ...words);
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

describe("a REST API in a real hub", () => {
  test("is there because the configuration names it", async () => {
    assert.deepEqual(await called("forecast", "--arg", "city=São Paulo"), {
      url: "/v1/S%C3%A3o%20Paulo?days=3",
      isKnown: true,
    });
  });

  test("is looked at, imported, refreshed, and used", async () => {
    const looked = await zaguan("import", pets, "--preview");
    assert.match(looked.out, /GET +\/\{id\} +showPet\n/);
    const keyFile = join(hub.folder, "key");
    writeFileSync(keyFile, "hunter2\n");
    const imported = await zaguan("import", pets, "--name", "shop", "--api-key", `header:X-Key=@${keyFile}`);
    assert.deepEqual(imported, { code: 0, out: "Imported 'Pet shop' as shop; tools: 1.\n", err: "" });
    assert.deepEqual(await called("showPet", "--arg", "id=7"), { url: "/pets/7", isKnown: true });
    assert.match((await zaguan("import", pets, "--name", "shop")).err, /--refresh/);
    writeFileSync(pets, documentWith("findPet"));
    const refreshed = await zaguan("import", pets, "--name", "shop", "--refresh");
    assert.match(refreshed.out, /added +findPet\nremoved +showPet\n/);
    assert.deepEqual(await called("findPet", "--arg", "id=7"), { url: "/pets/7", isKnown: true });
  });

  test("comes from HandsAI with its tools", async () => {
    const tool = {
      name: "Now",
      code: "now",
      description: "Now",
      endpointPath: "/now",
      httpMethod: "GET",
      parameters: [],
    };
    const provider = { name: "Clock", code: "clock", baseUrl: address, authenticationType: "NONE", tools: [tool] };
    const file = join(hub.folder, "handsai.json");
    writeFileSync(file, JSON.stringify([provider]));
    const { out, err } = await zaguan("import", file);
    assert.equal(out, "Imported from HandsAI: clock; tools: 1.\n", err);
    assert.deepEqual(await called("now"), { url: "/now", isKnown: false });
  });
});
