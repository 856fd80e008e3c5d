/**
 * What HandsAI's own clients and files do and a stricter reading of seed 004 refused: its token header, changes that name
 * only what changes, `isExportable`, a stored key that is listed as a parameter, headers that are no secrets, and null.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { type OpenWeather, openWeather, PLACEHOLDER, parameter } from "../support/seed-004.ts";

const KEY = "llave-guardada-1";
const QUERY_KEY = {
  authenticationType: "API_KEY",
  apiKeyLocation: "QUERY_PARAMETER",
  apiKeyName: "key",
  apiKeyValue: KEY,
  parameters: [parameter("q", { required: true }), parameter("key", { required: true })],
};

let house: OpenWeather;
before(async () => {
  house = await openWeather();
});
after(() => house?.stop());
beforeEach(() => house.weather.forget());

describe("a change of a tool", () => {
  const change = (code: string, body: object) => house.tools.http.send("PUT", `/admin/tools/api/${code}`, body);

  it("needs no code, and leaves all that it does not name", async () => {
    const before = await house.tools.add("parcial", "/v1/echo", { ...QUERY_KEY, customHeaders: { "X-Propia": "s-1" } });
    const { status, text, body } = await change("parcial", { description: "otra" });
    assert.equal(status, 200, text);
    assert.deepEqual({ ...body, updatedAt: "" }, { ...before, description: "otra", updatedAt: "" });
  });

  it("never loses credentials, not even where they are null or a placeholder", async () => {
    const customHeaders = { "X-Propia": "s-1", Accept: "text/plain" };
    await house.tools.add("conserva", "/v1/echo", { ...QUERY_KEY, customHeaders });
    const changes = [
      { name: "Otro" },
      { apiKeyValue: null, apiKeyName: null, authenticationType: null, apiKeyLocation: null, customHeaders: null },
      { apiKeyValue: PLACEHOLDER, customHeaders: { "X-Propia": PLACEHOLDER, Accept: "text/plain" } },
      { enabled: true, parameters: [parameter("q")] },
    ];
    for (const body of changes) {
      assert.equal((await change("conserva", body)).status, 200);
      await house.tools.called("conserva", { q: "Salta" });
      const { query, headers } = house.weather.last;
      assert.deepEqual([query.get("key"), headers["x-propia"], headers.accept], [KEY, "s-1", "text/plain"]);
    }
  });

  it("may bring a key to a tool that had none", async () => {
    await house.tools.add("sin-llave", "/v1/echo");
    const { status, text } = await change("sin-llave", { authenticationType: "API_KEY", apiKeyValue: KEY });
    assert.equal(status, 200, text);
    await house.tools.called("sin-llave", { q: "Salta" });
    assert.equal(house.weather.last.headers["x-api-key"], KEY);
  });

  it("names what is wrong with the whole", async () => {
    await house.tools.add("errada", "/v1/echo");
    const { status, body } = await change("errada", { authenticationType: "OAUTH2" });
    assert.deepEqual([status, body.errors[0].field], [400, "oauth2"]);
  });

  it("of a provider's tool leaves the provider alone", async () => {
    const tools = [{ name: "T", code: "del-proveedor", endpointPath: "/v1/echo", httpMethod: "GET" }];
    const provider = {
      name: "P",
      code: "prov",
      baseUrl: house.weather.url,
      ...QUERY_KEY,
      parameters: undefined,
      tools,
    };
    assert.equal((await house.tools.http.post("/api/import/providers", [provider])).status, 200);
    const { status, text } = await change("del-proveedor", { enabled: false });
    assert.equal(status, 200, text);
  });
});

describe("isExportable", () => {
  it("false keeps a tool out of exports, and is told again", async () => {
    const { isExportable } = await house.tools.add("privada", "/v1/echo", { isExportable: false });
    assert.equal(isExportable, false);
    assert.deepEqual(await exportedTools("?ids=privada"), []);
    const { body } = await house.tools.http.send("PUT", "/admin/tools/api/privada", { isExportable: true });
    assert.equal(body.isExportable, true);
    assert.deepEqual(await exportedTools("?ids=privada"), ["privada"]);
  });

  it("is true where nobody says anything, and passed over in an import, as in the real system", async () => {
    assert.equal((await house.tools.add("publica", "/v1/echo")).isExportable, true);
    const tools = [{ name: "T", code: "traida", endpointPath: "/v1/echo", httpMethod: "GET", isExportable: false }];
    await house.tools.http.post("/api/import/providers", [
      { name: "P", code: "traido", baseUrl: house.weather.url, tools },
    ]);
    assert.deepEqual(await exportedTools("?ids=traido"), ["traida"]);
  });
});

describe("a parameter that stands where the stored key is sent", () => {
  it("is not listed, not needed, and never what the caller says", async () => {
    await house.tools.add("con-llave", "/v1/echo", QUERY_KEY);
    const { inputSchema } = (await house.tools.list()).find(({ name }) => name === "con-llave");
    assert.deepEqual([Object.keys(inputSchema.properties), inputSchema.required], [["q"], ["q"]]);
    const { tools } = await house.tools.discover();
    assert.deepEqual(tools.find(({ name }: { name: string }) => name === "con-llave").parameters, inputSchema);
    for (const more of [{}, { key: null }, { key: "otra" }]) {
      await house.tools.called("con-llave", { q: "Salta", ...more });
      assert.deepEqual(house.weather.last.query.getAll("key"), [KEY]);
    }
  });

  it("in a body is not listed either", async () => {
    const inBody = { ...QUERY_KEY, apiKeyLocation: "IN_BODY", httpMethod: "POST" };
    await house.tools.add("en-cuerpo", "/v1/echo", inBody);
    await house.tools.called("en-cuerpo", { q: "Salta" });
    assert.deepEqual(JSON.parse(house.weather.last.body), { q: "Salta", key: KEY });
  });

  it("of the endpoint's own query is not asked for", async () => {
    await house.tools.add("en-ruta", "/v1/echo?key={llave}&q={q}", { ...QUERY_KEY, parameters: [] });
    const { inputSchema } = (await house.tools.list()).find(({ name }) => name === "en-ruta");
    assert.deepEqual(inputSchema.required, ["q"]);
    await house.tools.called("en-ruta", { q: "Salta" });
    assert.deepEqual(house.weather.last.query.getAll("key"), [KEY]);
  });

  it("is asked for as long as no key is stored", async () => {
    await house.tools.add("sin-valor", "/v1/echo", { ...QUERY_KEY, apiKeyValue: PLACEHOLDER });
    const { inputSchema } = (await house.tools.list()).find(({ name }) => name === "sin-valor");
    assert.deepEqual(inputSchema.required, ["q", "key"]);
  });
});

describe("customHeaders", () => {
  it("that are no secrets are exported as they are, and sent after an import elsewhere", async () => {
    const customHeaders = { "User-Agent": "HandsAI/1.0", "X-GitHub-Api-Version": "2022-11-28", "X-Propia": "secreto" };
    await house.tools.add("cabeceras", "/v1/echo", { customHeaders });
    const { body: exported } = await house.tools.http.get("/api/export/providers?ids=cabeceras");
    assert.deepEqual(exported[0].customHeaders, { ...customHeaders, "X-Propia": PLACEHOLDER });
    await house.tools.delete("cabeceras");
    assert.equal((await house.tools.http.post("/api/import/providers", exported)).status, 200);
    await house.tools.called("cabeceras", { q: "Salta" });
    const { headers } = house.weather.last;
    assert.deepEqual([headers["user-agent"], headers["x-github-api-version"]], ["HandsAI/1.0", "2022-11-28"]);
    assert.equal(headers["x-propia"], undefined);
  });
});

describe("null", () => {
  it("as an argument counts as one that is not given", async () => {
    const parameters = [parameter("q", { required: true }), parameter("lang", { defaultValue: "es" }), parameter("n")];
    await house.tools.add("nulos", "/v1/echo", { parameters });
    await house.tools.called("nulos", { q: "Salta", lang: null, n: null });
    const { query } = house.weather.last;
    assert.deepEqual([query.get("lang"), query.has("n")], ["es", false]);
    assert.equal((await house.tools.execute("nulos", { q: "Salta", n: null })).body.success, true);
    const { body } = await house.tools.call("nulos", { q: null });
    assert.equal(body.error.message, "Invalid params: missing required parameter 'q'");
  });

  it("as a field of a description counts as one that is not said", async () => {
    const nulls = { customHeaders: null, bodyPayloadTemplate: null, oauth2: null, isExportable: null, enabled: null };
    const { enabled, isExportable } = await house.tools.add("campos", "/v1/echo", { ...nulls, description: null });
    assert.deepEqual([enabled, isExportable], [true, true]);
  });
});

async function exportedTools(query: string): Promise<string[]> {
  const { body } = await house.tools.http.get(`/api/export/providers${query}`);
  const providers = body as { tools: { code: string }[] }[];
  return providers.flatMap(({ tools }) => tools.map(({ code }) => code));
}
