/**
 * Where seed 004's tools are described: `/admin/tools/api` in the real system's form, from the first description to the
 * last, with its live check. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import {
  assertError,
  assertText,
  assertUnfit,
  clima4,
  created,
  type OpenWeather,
  openWeather,
  PRINTED_CALL,
  PRINTED_TEXT,
  parameter,
  toolBody,
  UTC,
} from "../support/seed-004.ts";
import { spawnZaguan } from "../support/spawn-zaguan.ts";
import { WeatherApi } from "../support/weather-api.ts";

const ARGS = PRINTED_CALL.params.arguments;
const folder = mkdtempSync(join(tmpdir(), "zaguan-api-tools-"));

let house: OpenWeather;
before(async () => {
  house = await openWeather({ folder });
});
after(async () => {
  await house?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => house.weather.forget());

describe("POST, GET, PUT and DELETE /admin/tools/api", () => {
  let made: Message;

  it("POST answers 201 with every field that was given, apart from the secret's", async () => {
    made = created(await house.tools.post(clima4()));
    const { apiKeyName: _, apiKeyValue: __, parameters, ...given } = clima4();
    for (const [field, value] of Object.entries(given)) assert.deepEqual(made[field], value, field);
    assert.equal(made.baseUrl, house.weather.url);
    assert.ok(!("apiKeyValue" in made));
    assert.ok(Array.isArray(parameters));
    assert.equal(made.parameters.length, 2);
    for (const [index, { name, type, description, required }] of parameters.entries()) {
      const { name: n, type: t, description: d, required: r } = made.parameters[index];
      assert.deepEqual([n, t, d, r], [name, type, description, required]);
    }
    assert.equal(typeof made.healthy, "boolean");
  });

  it("the tool is there from that moment on, at every door", async () => {
    assert.equal(assertText(await house.tools.call("clima4", ARGS), "1"), PRINTED_TEXT);
    assert.equal(await house.tools.http.textOf("/mcp", "clima4", ARGS), PRINTED_TEXT);
  });

  it("GET lists them and gives one, by its id and by its code", async () => {
    const { status, body } = await house.tools.http.get("/admin/tools/api");
    assert.equal(status, 200);
    assert.deepEqual(
      body.map(({ code }: Message) => code),
      ["clima4"],
    );
    for (const key of [made.id, "clima4"]) {
      const one = await house.tools.get(key);
      assert.deepEqual([one.status, one.body.id, one.body.code], [200, made.id, "clima4"]);
    }
  });

  it("PUT changes it, and keeps its id", async () => {
    const parameters = [parameter("q", { description: "Ciudad", required: true })];
    const changed = await house.tools.put(made.id, { ...clima4(), description: "El tiempo", parameters });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual([changed.body.id, changed.body.description], [made.id, "El tiempo"]);
    const [tool] = await house.tools.list();
    assert.equal(tool.description, "El tiempo");
    assert.deepEqual(tool.inputSchema.required, ["q"]);
    assertText(await house.tools.call("clima4", { q: "Buenos Aires" }), "1");
  });

  it("PUT takes back what GET gave", async () => {
    const { body } = await house.tools.get(made.id);
    const again = await house.tools.http.send("PUT", `/admin/tools/api/${made.id}`, { ...body, name: "Clima de hoy" });
    assert.equal(again.status, 200, again.text);
    assert.equal((await house.tools.get(made.id)).body.name, "Clima de hoy");
    assertText(await house.tools.call("clima4", { q: "Buenos Aires" }), "1");
  });

  it("PUT with enabled: false takes it away, and true brings it back", async () => {
    await house.tools.put(made.id, { ...clima4(), enabled: false });
    assert.deepEqual(await house.tools.list(), []);
    assert.ok((await house.tools.call("clima4", ARGS)).body.error);
    assert.deepEqual(house.weather.received, []);
    await house.tools.put(made.id, clima4());
    assertText(await house.tools.call("clima4", ARGS), "1");
  });

  it("a tool survives a restart with its id", async () => {
    await house.hub.stop();
    const again = await spawnZaguan({ folder, config: { devices: { house: false } }, args: ["--allow-private"] });
    try {
      const http = new RegistryClient(again.url);
      assert.equal((await http.get("/admin/tools/api/clima4")).body.id, made.id);
      assert.equal((await http.post("/mcp/tools/call", PRINTED_CALL)).body.result.content[0].text, PRINTED_TEXT);
    } finally {
      await again.stop();
    }
    const { weather } = house;
    house = await openWeather({ folder });
    await weather.close();
  });

  it("DELETE answers 204, and it is gone", async () => {
    assert.equal((await house.tools.delete(made.id)).status, 204);
    for (const gone of [house.tools.get(made.id), house.tools.delete(made.id), house.tools.put(made.id, clima4())]) {
      assert.equal((await gone).status, 404);
    }
    assert.deepEqual((await house.tools.discover()).tools, []);
    assertError(await house.tools.call("clima4", ARGS), -32602, "1");
  });
});

describe("POST /admin/tools/api/{id}/validate", () => {
  it("asks the service now, and answers with the tool and whether it is healthy", async () => {
    const { id } = await house.tools.add("sana", "/v1/echo");
    house.weather.forget();
    const { status, body, text } = await house.tools.validate(id);
    assert.equal(status, 200, text);
    assert.deepEqual([body.id, body.code, body.healthy], [id, "sana", true]);
    assert.match(body.lastHealthCheck, UTC);
    assert.ok(house.weather.received.length >= 1);
    assert.equal((await house.tools.get(id)).body.lastHealthCheck, body.lastHealthCheck);
  });

  it("does nothing in the place of a caller: what writes is not called", async () => {
    const { id } = await house.tools.add("escribe", "/v1/echo", { httpMethod: "POST" });
    house.weather.forget();
    assert.equal((await house.tools.validate(id)).status, 200);
    assert.deepEqual(
      house.weather.received.filter(({ method }) => method === "POST"),
      [],
    );
  });

  it("says that a service which is away is not healthy, and that it is again when it is back", async () => {
    const gone = await WeatherApi.start();
    const { id } = await house.tools.add("ida", "/v1/echo", { baseUrl: gone.url });
    assert.equal((await house.tools.validate(id)).body.healthy, true);
    await gone.close();
    const { status, body, text } = await house.tools.validate(id);
    assert.deepEqual([status, body.healthy], [200, false], text);
    assert.equal((await house.tools.get(id)).body.healthy, false);
  });

  it("is 404 for a tool that is not there", async () => {
    assert.equal((await house.tools.validate("nadie")).status, 404);
  });
});

describe("what is refused, naming the field", () => {
  const path = "/v1/current.json";
  for (const [what, body, field] of [
    ["no base URL", { baseUrl: undefined }, "baseUrl"],
    ["a base URL that is none", { baseUrl: "api.weatherapi.com" }, "baseUrl"],
    ["a file", { baseUrl: "file:///etc/passwd" }, "baseUrl"],
    ["a base URL with a password", { baseUrl: "https://user:pass@api.example.org" }, "baseUrl"],
    ["no code", { code: undefined }, "code"],
    ["an empty code", { code: "" }, "code"],
    ["a code with a slash", { code: "a/b" }, "code"],
    ["a code with a line end", { code: "a\nb" }, "code"],
    ["a path that is another address", { endpointPath: "https://evil.example/x" }, "endpointPath"],
    ["a path that is another host", { endpointPath: "//evil.example/x" }, "endpointPath"],
    ["a path that climbs out", { endpointPath: "/v1/../../admin" }, "endpointPath"],
    ["an unknown method", { httpMethod: "FETCH" }, "httpMethod"],
    ["an unknown kind of authentication", { authenticationType: "MAGIC" }, "authenticationType"],
    ["an unknown place for the key", { authenticationType: "API_KEY", apiKeyLocation: "FOOT" }, "apiKeyLocation"],
    ["parameters that are no list", { parameters: { q: "STRING" } }, "parameters"],
    ["a parameter of an unknown type", { parameters: [{ ...parameter("q"), type: "DATE" }] }, "parameters"],
    ["a parameter without a name", { parameters: [parameter("")] }, "parameters"],
    ["two parameters of one name", { parameters: [parameter("q"), parameter("q")] }, "parameters"],
  ] as const) {
    it(what, async () => {
      assertUnfit(await house.tools.post(toolBody("mala", path, body)), field);
      assert.equal((await house.tools.get("mala")).status, 404);
    });
  }

  it("what is no JSON or no object", async () => {
    for (const body of ['{"code":', "[]", '"a"', "null", ""]) {
      assert.equal((await house.tools.http.post("/admin/tools/api", body)).status, 400, body);
    }
  });

  it("a code that is taken, for all but one of many who want it at once", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => house.tools.post(toolBody("unica", path))));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array.from({ length: 9 }, () => 409)]);
  });
});

describe("who may", () => {
  it("a key that is limited to some tools changes nothing and reads no description", async () => {
    const words = ["key", "create", "limited", "--tools", "get_*", "--data", "data"];
    const { stdout } = await runZaguan(words, house.hub.folder);
    const limited = house.tools.http.withKey(stdout.trim());
    const body = { ...toolBody("mia", "/v1/current.json"), baseUrl: "https://api.example.org" };
    for (const [method, path] of [
      ["POST", "/admin/tools/api"],
      ["PUT", "/admin/tools/api/sana"],
      ["DELETE", "/admin/tools/api/sana"],
      ["POST", "/admin/tools/api/sana/validate"],
      ["POST", "/api/import/providers"],
    ] as const) {
      const { status, text } = await limited.send(method, path, method === "DELETE" ? undefined : body);
      assert.equal(status, 403, `${method} ${path}: ${text}`);
    }
    assert.equal((await house.tools.get("sana")).status, 200);
  });

  it("such a key sees and calls in both faces what it may, and nothing else exists", async () => {
    const words = ["key", "create", "one", "--tools", "sana", "--data", "data"];
    const { stdout } = await runZaguan(words, house.hub.folder);
    const one = house.tools.http.withKey(stdout.trim());
    const { tools, totalCount } = (await one.get("/api/tools/discover")).body;
    assert.deepEqual([tools.map(({ name }: Message) => name), totalCount], [["sana"], 1]);
    const listed = (await one.get("/mcp/tools/list")).body.result.tools;
    assert.deepEqual(
      listed.map(({ name }: Message) => name),
      ["sana"],
    );
    const refused = await one.post("/api/tools/execute", { toolName: "escribe", parameters: { q: "x" } });
    assert.deepEqual([refused.body.success, refused.body.errorMessage], [false, "Tool not found: escribe"]);
  });
});
