/**
 * What a caller, a description or a service may try in vain: headers that end a line, paths that climb, addresses that
 * nobody may be led to. Each is a clear error, and nothing is sent. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { runZaguan } from "../support/run-zaguan.ts";
import {
  assertError,
  assertFailure,
  assertNothingInner,
  assertRefused,
  assertText,
  assertUnfit,
  type OpenWeather,
  openWeather,
  parameter,
  toolBody,
} from "../support/seed-004.ts";
import { WeatherApi, weatherIn } from "../support/weather-api.ts";

const INJECTED = "x\r\nX-Injected: 1";
const KEY = "secreto-de-la-llave";
const KEYED = { authenticationType: "API_KEY", apiKeyLocation: "HEADER", apiKeyName: "X-Llave", apiKeyValue: KEY };

describe("header injection", () => {
  let house: OpenWeather;
  before(async () => {
    house = await openWeather();
  });
  after(() => house?.stop());
  beforeEach(() => house.weather.forget());

  for (const [what, fields, field] of [
    ["the name of the key's header", { ...KEYED, apiKeyName: INJECTED }, "apiKeyName"],
    ["a name that is no header's", { ...KEYED, apiKeyName: "X Llave:" }, "apiKeyName"],
    ["the name of a header that is ours to send", { ...KEYED, apiKeyName: "Host" }, "apiKeyName"],
    ["the key", { ...KEYED, apiKeyValue: INJECTED }, "apiKeyValue"],
    ["a bearer token", { authenticationType: "BEARER_TOKEN", apiKeyName: "a", apiKeyValue: INJECTED }, "apiKeyValue"],
    ["a basic pair", { authenticationType: "BASIC_AUTH", apiKeyName: "a", apiKeyValue: INJECTED }, "apiKeyValue"],
    ["the value of a custom header", { customHeaders: { "X-A": INJECTED } }, "customHeaders"],
    ["the name of a custom header", { customHeaders: { "X-A\r\nX-B": "1" } }, "customHeaders"],
    ["a header that frames the message", { customHeaders: { "Transfer-Encoding": "chunked" } }, "customHeaders"],
  ] as const) {
    it(`${what} is refused where it is described, and is not repeated`, async () => {
      const answer = await house.tools.post(toolBody("mala", "/v1/echo", fields));
      assertUnfit(answer, field);
      assert.ok(!answer.text.includes(KEY));
      assert.equal((await house.tools.get("mala")).status, 404);
    });
  }

  it("an argument in the query stays in the query", async () => {
    await house.tools.add("consulta", "/v1/echo");
    assertText(await house.tools.call("consulta", { q: INJECTED }), "1");
    assert.equal(house.weather.last.headers["x-injected"], undefined);
    assert.deepEqual(house.weather.last.query.getAll("q"), [INJECTED]);
  });

  it("an argument in a header is refused, named, and nothing is sent", async () => {
    const file = join(house.hub.folder, "openapi.json");
    writeFileSync(file, JSON.stringify(withHeaderParameter(house.weather.url)));
    const { code, stderr } = await runZaguan(["import", file, "--data", "data"], house.hub.folder);
    assert.equal(code, 0, stderr);
    assertText(await house.tools.call("conCabecera", { "X-Lugar": "Salta" }), "1");
    assert.equal(house.weather.last.headers["x-lugar"], "Salta");
    for (const value of [INJECTED, "a\nb", "a\rb", "a\0b"]) {
      house.weather.forget();
      const { message } = assertError(await house.tools.call("conCabecera", { "X-Lugar": value }), -32602, "1");
      assert.match(message, /^Invalid params: .*X-Lugar/);
      assert.deepEqual(house.weather.received, []);
    }
  });
});

describe("a path parameter that climbs", () => {
  let house: OpenWeather;
  before(async () => {
    house = await openWeather();
    const parameters = [parameter("city", { required: true })];
    await house.tools.add("camino", "/v1/echo/{city}/forecast", { ...KEYED, parameters });
    await house.tools.add("camino-final", "/v1/echo/{city}", { ...KEYED, parameters });
  });
  after(() => house?.stop());
  beforeEach(() => house.weather.forget());

  for (const city of ["../admin", "..", ".", "../../", "a/../../b", "..\\..\\admin", "../v1/current.json?q=x#"]) {
    it(`${city} is an error that names it, and nothing is sent`, async () => {
      for (const name of ["camino", "camino-final"]) {
        const { message } = assertError(await house.tools.call(name, { city }), -32602, "1");
        assert.match(message, /^Invalid params: .*city/);
        assert.match(assertFailure(await house.tools.execute(name, { city })), /city/);
      }
      assert.deepEqual(house.weather.received, []);
    });
  }

  for (const city of ["%2e%2e", "..%2fadmin", "%2e%2e%2fadmin", "..;", "...", "a..b"]) {
    it(`${city} is sent as one segment`, async () => {
      assertText(await house.tools.call("camino", { city }), "1");
      const [{ path } = { path: "nothing was sent" }, ...more] = house.weather.received;
      const [, segment] = /^\/v1\/echo\/([^/]+)\/forecast$/.exec(path) ?? assert.fail(path);
      assert.deepEqual([decodeURIComponent(segment ?? ""), more], [city, []]);
    });
  }

  it("an empty one is an error, and nothing is sent", async () => {
    assertError(await house.tools.call("camino", { city: "" }), -32602, "1");
    assert.deepEqual(house.weather.received, []);
  });
});

describe("a redirect", () => {
  let house: OpenWeather;
  let other: WeatherApi;
  before(async () => {
    house = await openWeather();
    other = await WeatherApi.start();
    const customHeaders = { "X-Propia": KEY };
    await house.tools.add("mudada", "/v1/moved.json", { ...KEYED, customHeaders });
    await house.tools.add("mudada-post", "/v1/moved.json", { ...KEYED, httpMethod: "POST" });
  });
  after(async () => {
    await house?.stop();
    await other?.close();
  });
  beforeEach(() => {
    house.weather.forget();
    other.forget();
  });

  it("within the service is followed", async () => {
    house.weather.moved = { status: 302, location: "/v1/current.json?q=Rosario" };
    assert.equal(assertText(await house.tools.call("mudada", { q: "x" }), "1"), weatherIn("Rosario"));
    assert.equal(house.weather.last.headers["x-llave"], KEY);
  });

  it("to another service is followed without what was meant for the first", async () => {
    house.weather.moved = { status: 302, location: `${other.url}/v1/current.json?q=Rosario` };
    assert.equal(assertText(await house.tools.call("mudada", { q: "x" }), "1"), weatherIn("Rosario"));
    assert.ok(!JSON.stringify([other.last.target, other.last.rawHeaders]).includes(KEY));
  });

  it("of a POST is not repeated elsewhere", async () => {
    for (const status of [307, 308]) {
      house.weather.moved = { status, location: `${other.url}/v1/echo` };
      assertRefused(await house.tools.call("mudada-post", { q: "x" }));
    }
    assert.deepEqual(other.received, []);
    assert.equal(house.weather.received.length, 2);
  });

  it("in a circle ends", async () => {
    house.weather.moved = { status: 302, location: "/v1/moved.json" };
    const answer = await house.tools.call("mudada", { q: "x" });
    assertRefused(answer);
    assert.match(answer.text, /redirect/i);
    // The first request and five more, in each of three attempts at the most.
    assert.ok(house.weather.received.length <= 18, String(house.weather.received.length));
  });

  for (const location of ["file:///etc/passwd", "ftp://example.org/", "javascript:alert(1)", "http://", "data:,x"]) {
    it(`to ${location} is an error`, async () => {
      house.weather.moved = { status: 302, location };
      assertRefused(await house.tools.call("mudada", { q: "x" }));
    });
  }
});

describe("a private address, where it was not allowed", () => {
  let house: OpenWeather;
  before(async () => {
    // This machine itself is open to its own user, as in the registry.
    house = await openWeather({ args: [] });
    await house.tools.add("mudada", "/v1/moved.json", KEYED);
  });
  after(() => house?.stop());
  beforeEach(() => house.weather.forget());

  for (const location of [
    "http://10.0.0.1/v1/current.json?q=x",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://[fd00::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://167772161/",
    "http://0.0.0.0:1/",
  ]) {
    it(`a redirect to ${location} is a clear error in both faces`, async () => {
      house.weather.moved = { status: 302, location };
      const answer = await house.tools.call("mudada", { q: "x" });
      assertRefused(answer);
      assert.match(answer.text, /address|redirect/i);
      assert.ok(!answer.text.includes(KEY));
      assert.match(assertFailure(await house.tools.execute("mudada", { q: "x" })), /address|redirect/i);
    });
  }

  const own = ownPrivateAddress();
  it("nothing is sent there", { skip: own ? false : "this machine has no private address" }, async () => {
    const canary = await WeatherApi.start(own);
    try {
      house.weather.moved = { status: 302, location: `${canary.url}/v1/current.json?q=x` };
      assertRefused(await house.tools.call("mudada", { q: "x" }));
      assert.ok(house.weather.received.length > 0);
      const { status } = await house.tools.post({ ...toolBody("canario", "/v1/current.json"), baseUrl: canary.url });
      assert.equal(status, 403);
      assert.deepEqual(canary.received, []);
    } finally {
      await canary.close();
    }
  });

  it("cannot be described, nor moved to", async () => {
    const { id } = await house.tools.add("quieta", "/v1/echo");
    for (const baseUrl of [
      "http://10.0.0.1",
      "http://169.254.169.254",
      "http://[::ffff:10.0.0.1]/",
      "http://0xa000001/",
    ]) {
      const made = await house.tools.post({ ...toolBody("privada", "/"), baseUrl });
      assert.deepEqual([made.status, made.body.code], [403, "FORBIDDEN_ADDRESS"], made.text);
      const moved = await house.tools.put(id, { ...toolBody("quieta", "/v1/echo"), baseUrl });
      assert.equal(moved.status, 403, moved.text);
      const imported = await house.tools.http.post("/api/import/providers", [providerAt(baseUrl)]);
      assert.equal(imported.status, 403, imported.text);
    }
    assert.equal((await house.tools.get(id)).body.baseUrl, house.weather.url);
    assert.equal((await house.tools.get("privada")).status, 404);
  });

  it("cannot be where tokens come from", async () => {
    const oauth2 = { tokenUrl: "http://10.0.0.1/token", clientId: "z", clientSecret: KEY, scopes: [], sendAs: "body" };
    const answer = await house.tools.post(toolBody("ficha", "/v1/echo", { authenticationType: "OAUTH2", oauth2 }));
    assert.equal(answer.status, 403, answer.text);
    assertNothingInner(answer.text);
    assert.ok(!answer.text.includes(KEY));
  });

  it("of this machine is closed to the holder of a key", async () => {
    const words = ["key", "create", "keyed", "--admin", "--data", "data"];
    const keyed = house.tools.http.withKey((await runZaguan(words, house.hub.folder)).stdout.trim());
    house.weather.forget();
    const body = { ...toolBody("ajena", "/v1/echo"), baseUrl: house.weather.url };
    const answer = await keyed.post("/admin/tools/api", body);
    assert.deepEqual([answer.status, answer.body.code], [403, "FORBIDDEN_ADDRESS"], answer.text);
    assert.deepEqual(house.weather.received, []);
  });
});

function providerAt(baseUrl: string): object {
  const { code: _, ...tool } = toolBody("privada", "/x");
  return {
    name: "p",
    code: "p",
    baseUrl,
    authenticationType: "NONE",
    apiKeyLocation: "NONE",
    tools: [{ ...tool, code: "px" }],
  };
}

/** An OpenAPI document with a parameter in a header. */
function withHeaderParameter(url: string): object {
  const parameters = [{ name: "X-Lugar", in: "header", required: true, schema: { type: "string" } }];
  const responses = { 200: { description: "what was received" } };
  const get = { operationId: "conCabecera", summary: "says where", parameters, responses };
  return {
    openapi: "3.1.0",
    info: { title: "Cabeceras", version: "1" },
    servers: [{ url }],
    paths: { "/v1/echo": { get } },
  };
}

/** An address of this machine that the guard takes for somebody else's house. */
function ownPrivateAddress(): string | undefined {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  const found = addresses.find(({ family, internal, address }) => family === "IPv4" && !internal && isPrivate(address));
  return found?.address;
}

function isPrivate(address: string): boolean {
  return /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(address);
}
