/**
 * HandsAI's providers as a test: `POST /api/import/providers` and `GET /api/export/providers` in the real system's form,
 * from one hub into another, and the same file through the command. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { assertText, type OpenWeather, openWeather, PLACEHOLDER, parameter } from "../support/seed-004.ts";
import { weatherIn } from "../support/weather-api.ts";

const KEY = "llave-del-proveedor";
const CUSTOM = "valor-de-cabecera";

let house: OpenWeather;
before(async () => {
  house = await openWeather();
});
after(() => house?.stop());
beforeEach(() => house.weather.forget());

function tool(code: string, endpointPath: string, more: object = {}): object {
  const parameters = [parameter("q", { required: true }), parameter("lang", { defaultValue: "es" })];
  return { name: `La ${code}`, code, description: `d ${code}`, endpointPath, httpMethod: "GET", parameters, ...more };
}

function provider(more: object = {}): Record<string, unknown> {
  return {
    name: "Weather API",
    code: "weather",
    baseUrl: house.weather.url,
    authenticationType: "API_KEY",
    apiKeyLocation: "QUERY_PARAMETER",
    apiKeyName: "key",
    apiKeyValue: KEY,
    customHeaders: { "X-Cliente": CUSTOM },
    tools: [tool("clima", "/v1/current.json"), tool("pronostico", "/v1/echo/{q}")],
    ...more,
  };
}

async function imported(...providers: readonly object[]): Promise<void> {
  const { status, text } = await house.tools.http.post("/api/import/providers", providers);
  assert.equal(status, 200, text);
  assert.ok(!text.includes(KEY), "the key is not told again");
}

async function exported(query: string = ""): Promise<Message[]> {
  const { status, text, body } = await house.tools.http.get(`/api/export/providers${query}`);
  assert.equal(status, 200, text);
  assert.ok(!text.includes(KEY) && !text.includes(CUSTOM), "no secret leaves");
  return body;
}

async function namesListed(): Promise<string[]> {
  return (await house.tools.list()).map(({ name }) => name).sort();
}

describe("POST /api/import/providers", () => {
  it("makes the tools of the provider, which share its address, key and headers", async () => {
    await imported(provider());
    assert.deepEqual(await namesListed(), ["clima", "pronostico"]);
    assert.equal(assertText(await house.tools.call("clima", { q: "Salta" }), "1"), weatherIn("Salta"));
    assert.deepEqual(Object.fromEntries(house.weather.last.query), { q: "Salta", lang: "es", key: KEY });
    assertText(await house.tools.call("pronostico", { q: "Salta" }), "1");
    const { path, headers } = house.weather.last;
    assert.deepEqual([path, headers["x-cliente"]], ["/v1/echo/Salta", CUSTOM]);
  });

  it("again changes them by their codes, and makes none twice; ids stay", async () => {
    const ids = async (): Promise<Message> =>
      Object.fromEntries(
        (await house.tools.http.get("/admin/tools/api")).body.map(({ code, id }: Message) => [code, id]),
      );
    const before = await ids();
    await imported(
      provider({ tools: [tool("clima", "/v1/current.json", { description: "otra" }), tool("nueva", "/v1/text")] }),
    );
    const clima = (await house.tools.list()).find(({ name }) => name === "clima");
    assert.equal(clima.description, "otra");
    assert.ok((await namesListed()).includes("nueva"));
    assert.equal((await ids()).clima, before.clima);
    assert.equal((await exported()).length, 1);
  });

  it("takes no notice of a placeholder where there is a key", async () => {
    for (const apiKeyValue of [PLACEHOLDER, null, ""]) {
      await imported(provider({ apiKeyValue }));
      await house.tools.call("clima", { q: "Salta" });
      assert.equal(house.weather.last.query.get("key"), KEY);
    }
  });

  it("never sends a placeholder as if it were a key", async () => {
    await imported(
      provider({ code: "sin", name: "Sin", apiKeyValue: PLACEHOLDER, tools: [tool("sin-llave", "/v1/echo")] }),
    );
    house.weather.forget();
    await house.tools.call("sin-llave", { q: "x" });
    const [sent, ...more] = house.weather.received;
    assert.deepEqual([sent?.path, sent?.query.get("q"), more], ["/v1/echo", "x", []]);
    assert.equal(sent?.query.has("key"), false);
    assert.ok(!JSON.stringify([sent?.target, sent?.rawHeaders, sent?.body]).includes(PLACEHOLDER));
  });

  it("gets a token first where the provider's authentication is dynamic", async () => {
    await imported(
      provider({
        code: "dinamico",
        name: "Dinámico",
        authenticationType: "BEARER_TOKEN",
        apiKeyLocation: "HEADER",
        apiKeyName: "Authorization",
        apiKeyValue: null,
        isDynamicAuth: true,
        dynamicAuthUrl: `${house.weather.url}/oauth/token`,
        dynamicAuthMethod: "POST",
        dynamicAuthPayloadType: "FORM_DATA",
        dynamicAuthPayloadLocation: "BODY",
        dynamicAuthPayload: JSON.stringify({ grant_type: "client_credentials", client_id: "z", client_secret: KEY }),
        dynamicAuthTokenExtractionPath: "access_token",
        dynamicAuthInvalidationKeywords: "invalid_token",
        tools: [tool("socios", "/v1/members.json")],
      }),
    );
    assert.equal(assertText(await house.tools.call("socios", { q: "Salta" }), "1"), weatherIn("Salta"));
    const form = Object.fromEntries(new URLSearchParams(house.weather.at("/oauth/token")[0]?.body));
    assert.deepEqual(form, { grant_type: "client_credentials", client_id: "z", client_secret: KEY });
  });

  it("takes all or nothing, and says where it is wrong", async () => {
    const before = await namesListed();
    const wrong = provider({ code: "roto", tools: [tool("buena", "/v1/text"), tool("mala", "https://evil.example/")] });
    const { status, text } = await house.tools.http.post("/api/import/providers", [wrong]);
    assert.equal(status, 400, text);
    assert.match(text, /endpointPath/);
    assert.ok(!text.includes(KEY));
    assert.deepEqual(await namesListed(), before);
    for (const body of ["{}", "[7]", "[", '"x"']) {
      assert.equal((await house.tools.http.post("/api/import/providers", body)).status, 400, body);
    }
  });
});

describe("GET /api/export/providers", () => {
  it("gives every provider with its tools in the form that is imported, and a placeholder for each key", async () => {
    const weather = (await exported()).find(({ code }) => code === "weather");
    const { name, baseUrl, authenticationType, apiKeyLocation, apiKeyName, apiKeyValue, tools } = weather;
    assert.deepEqual(
      { name, baseUrl, authenticationType, apiKeyLocation, apiKeyName, apiKeyValue },
      {
        name: "Weather API",
        baseUrl: house.weather.url,
        authenticationType: "API_KEY",
        apiKeyLocation: "QUERY_PARAMETER",
        apiKeyName: "key",
        apiKeyValue: PLACEHOLDER,
      },
    );
    const pronostico = tools.find(({ code }: Message) => code === "pronostico");
    for (const [field, value] of Object.entries(tool("pronostico", "/v1/echo/{q}"))) {
      if (field !== "parameters") assert.equal(pronostico[field], value, field);
    }
    const { type, required, defaultValue } = pronostico.parameters.find(({ name: given }: Message) => given === "lang");
    assert.deepEqual([type, required, defaultValue], ["STRING", false, "es"]);
  });

  it("gives those that are asked for", async () => {
    assert.deepEqual(
      (await exported("?ids=weather")).map(({ code }) => code),
      ["weather"],
    );
    assert.deepEqual((await exported("?ids=weather,sin")).map(({ code }) => code).sort(), ["sin", "weather"]);
    assert.deepEqual(
      (await exported("?ids=nadie")).map(({ code }) => code),
      [],
    );
  });

  it("has the tools that were described one by one, too", async () => {
    await house.tools.add("suelta", "/v1/text", { parameters: [] });
    const tools = (await exported()).flatMap((one) => one.tools.map(({ code }: Message) => code));
    assert.ok(tools.includes("suelta"), tools.join());
  });
});

describe("from one hub into another", () => {
  it("an export is imported as it is, and gives the same export again", async () => {
    const file = (await exported("?ids=weather"))[0];
    const other = await openWeather();
    try {
      const { status, text } = await other.tools.http.post("/api/import/providers", [file]);
      assert.equal(status, 200, text);
      assert.deepEqual((await other.tools.http.get("/api/export/providers?ids=weather")).body.length, 1);
      const again = (await other.tools.http.get("/api/export/providers?ids=weather")).body[0];
      const { apiKeyValue: _, customHeaders: __, ...same } = file;
      const { apiKeyValue: ___, customHeaders: ____, ...told } = again;
      assert.deepEqual(told, same);
    } finally {
      await other.stop();
    }
  });

  it("the command takes the same file", async () => {
    const other = await openWeather();
    try {
      const file = join(other.hub.folder, "handsai.json");
      writeFileSync(file, JSON.stringify([provider({ tools: [tool("clima", "/v1/current.json")] })]));
      const { code, stdout, stderr } = await runZaguan(["import", file, "--data", "data"], other.hub.folder);
      assert.equal(code, 0, stderr);
      assert.ok(!`${stdout}${stderr}`.includes(KEY));
      assert.equal(assertText(await other.tools.call("clima", { q: "Salta" }), "1"), weatherIn("Salta"));
    } finally {
      await other.stop();
    }
  });
});
