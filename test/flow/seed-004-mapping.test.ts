/**
 * How arguments become a request: query, path, JSON body, template and defaults, as the weather service receives them, to
 * the letter. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { assertError, assertText, type OpenWeather, openWeather, parameter } from "../support/seed-004.ts";

const HARD = ["Buenos Aires", "São Paulo", "a&b=c", "100%", "a+b", "#x?y", "北京", "\"'<>", "a;b,c", "%41", "🏠"];

let house: OpenWeather;
before(async () => {
  house = await openWeather();
});
after(() => house?.stop());
beforeEach(() => house.weather.forget());

async function assertCalled(name: string, args: object): Promise<void> {
  assertText(await house.tools.call(name, args), "1");
  assert.equal(house.weather.received.length, 1);
}

describe("GET and DELETE", () => {
  for (const httpMethod of ["GET", "DELETE"]) {
    it(`${httpMethod}: everything is in the query, escaped; there is no body`, async () => {
      const name = `consulta-${httpMethod}`;
      await house.tools.add(name, "/v1/echo", { httpMethod });
      for (const q of HARD) {
        house.weather.forget();
        await assertCalled(name, { q });
        const { method, path, query, body, target } = house.weather.last;
        assert.deepEqual([method, path, body], [httpMethod, "/v1/echo", ""]);
        assert.deepEqual([...query], [["q", q]], target);
      }
    });
  }

  it("an argument that is not given is not sent", async () => {
    await house.tools.add("opcional", "/v1/echo", { parameters: [parameter("q"), parameter("lang")] });
    await assertCalled("opcional", { q: "Salta" });
    assert.equal(house.weather.last.target, "/v1/echo?q=Salta");
  });

  it("a query that the path has already stays", async () => {
    await house.tools.add("fija", "/v1/echo?aqi=no");
    await assertCalled("fija", { q: "Salta" });
    assert.deepEqual([...house.weather.last.query].sort(), [
      ["aqi", "no"],
      ["q", "Salta"],
    ]);
  });

  it("numbers and truths are written as such", async () => {
    const parameters = [parameter("days", { type: "NUMBER" }), parameter("alerts", { type: "BOOLEAN" })];
    await house.tools.add("tipos", "/v1/echo", { parameters });
    await assertCalled("tipos", { days: 3, alerts: false });
    assert.deepEqual(Object.fromEntries(house.weather.last.query), { days: "3", alerts: "false" });
  });

  it("a base URL with a path of its own keeps it", async () => {
    for (const [code, baseUrl] of [
      ["base", `${house.weather.url}/v1`],
      ["base-barra", `${house.weather.url}/v1/`],
    ] as const) {
      house.weather.forget();
      await house.tools.add(code, "/echo", { baseUrl });
      await assertCalled(code, { q: "x" });
      assert.equal(house.weather.last.target, "/v1/echo?q=x");
    }
  });
});

describe("POST, PUT and PATCH", () => {
  const parameters = [
    parameter("q"),
    parameter("days", { type: "NUMBER" }),
    parameter("alerts", { type: "BOOLEAN" }),
    parameter("where", { type: "OBJECT" }),
    parameter("list", { type: "ARRAY" }),
  ];
  const args = { q: 'Río "Cuarto" 🏠', days: 3, alerts: true, where: { lat: -33.1, lon: null }, list: [1, "dos"] };

  for (const httpMethod of ["POST", "PUT", "PATCH"]) {
    it(`${httpMethod}: a JSON body of all arguments with their types, and no query`, async () => {
      await house.tools.add(`cuerpo-${httpMethod}`, "/v1/echo", { httpMethod, parameters });
      await assertCalled(`cuerpo-${httpMethod}`, args);
      const { method, target, headers, body } = house.weather.last;
      assert.deepEqual([method, target], [httpMethod, "/v1/echo"]);
      assert.match(headers["content-type"] ?? "", /^application\/json/);
      assert.deepEqual(JSON.parse(body), args);
    });
  }

  it("a list that comes as a text of JSON is a list", async () => {
    await house.tools.add("lista", "/v1/echo", {
      httpMethod: "POST",
      parameters: [parameter("list", { type: "ARRAY" })],
    });
    await assertCalled("lista", { list: '["a","b"]' });
    assert.deepEqual(JSON.parse(house.weather.last.body), { list: ["a", "b"] });
  });
});

describe("{param} in the path", () => {
  before(async () => {
    const parameters = [parameter("city", { required: true }), parameter("days", { type: "NUMBER" })];
    await house.tools.add("camino", "/v1/echo/{city}/forecast", { parameters });
    await house.tools.add("camino-post", "/v1/echo/{city}/forecast", { httpMethod: "POST", parameters });
  });

  for (const city of [...HARD, "a/b", "a\\b", "a:b@c"]) {
    it(`${city} is one segment, and is in no query`, async () => {
      await assertCalled("camino", { city });
      const { path, target } = house.weather.last;
      const [, segment, ...others] = /^\/v1\/echo\/([^/]+)\/forecast$/.exec(path) ?? assert.fail(path);
      assert.deepEqual([decodeURIComponent(segment ?? ""), others], [city, []]);
      assert.ok(!target.includes("?"), target);
    });
  }

  it("the others go where they go", async () => {
    await assertCalled("camino", { city: "Salta", days: 3 });
    assert.equal(house.weather.last.target, "/v1/echo/Salta/forecast?days=3");
    house.weather.forget();
    await assertCalled("camino-post", { city: "Salta", days: 3 });
    assert.equal(house.weather.last.target, "/v1/echo/Salta/forecast");
    assert.deepEqual(JSON.parse(house.weather.last.body), { days: 3 });
  });

  it("is needed", async () => {
    const { message } = assertError(await house.tools.call("camino", { days: 3 }), -32602, "1");
    assert.equal(message, "Invalid params: missing required parameter 'city'");
    assert.deepEqual(house.weather.received, []);
  });
});

describe("defaults", () => {
  const parameters = [
    parameter("q", { required: true }),
    parameter("lang", { defaultValue: "es" }),
    parameter("days", { type: "NUMBER", defaultValue: "3" }),
    parameter("alerts", { type: "BOOLEAN", defaultValue: "true" }),
    parameter("nada", { defaultValue: null }),
  ];

  it("are sent in the query where nothing was given, and an empty one is none", async () => {
    await house.tools.add("defectos", "/v1/echo", { parameters });
    await assertCalled("defectos", { q: "Salta" });
    const sent = Object.fromEntries(house.weather.last.query);
    assert.deepEqual(sent, { q: "Salta", lang: "es", days: "3", alerts: "true" });
  });

  it("are sent in the body with the type of their parameter", async () => {
    await house.tools.add("defectos-post", "/v1/echo", { httpMethod: "POST", parameters });
    await assertCalled("defectos-post", { q: "Salta" });
    assert.deepEqual(JSON.parse(house.weather.last.body), { q: "Salta", lang: "es", days: 3, alerts: true });
  });

  it("give way to what is given", async () => {
    await assertCalled("defectos", { q: "Salta", lang: "", days: 0, alerts: false });
    const sent = Object.fromEntries(house.weather.last.query);
    assert.deepEqual(sent, { q: "Salta", lang: "", days: "0", alerts: "false" });
  });

  it("fill the path", async () => {
    await house.tools.add("defecto-camino", "/v1/echo/{city}", {
      parameters: [parameter("city", { defaultValue: "Salta" })],
    });
    await assertCalled("defecto-camino", {});
    assert.equal(house.weather.last.target, "/v1/echo/Salta");
  });

  it("are not invented for a required parameter whose default is empty", async () => {
    const { message } = assertError(await house.tools.call("defectos", {}), -32602, "1");
    assert.equal(message, "Invalid params: missing required parameter 'q'");
  });
});

describe("bodyPayloadTemplate", () => {
  /** As the real system's users write them: a text stands between the template's own quotes, anything else does not. */
  const bodyPayloadTemplate = '{"place":{"city":"{{q}}"},"days":{{days}},"tags":{{tags}},"fixed":true}';
  const parameters = [
    parameter("q"),
    parameter("days", { type: "NUMBER", defaultValue: "1" }),
    parameter("tags", { type: "ARRAY" }),
  ];
  before(() => house.tools.add("plantilla", "/v1/echo", { httpMethod: "POST", bodyPayloadTemplate, parameters }));

  it("is the body, with the arguments in their places", async () => {
    await assertCalled("plantilla", { q: "Salta", days: 3, tags: ["a", "b"] });
    const { headers, body } = house.weather.last;
    assert.match(headers["content-type"] ?? "", /^application\/json/);
    assert.deepEqual(JSON.parse(body), { place: { city: "Salta" }, days: 3, tags: ["a", "b"], fixed: true });
  });

  for (const q of ['"},"admin":true,"x":{"y":"', "a\nb\tc", "\\", "{{days}}", "$&$1", "北京 🏠"]) {
    it(`${JSON.stringify(q)} stays a text in its place`, async () => {
      await assertCalled("plantilla", { q, days: 2, tags: [] });
      assert.deepEqual(JSON.parse(house.weather.last.body), { place: { city: q }, days: 2, tags: [], fixed: true });
    });
  }

  it("takes defaults too", async () => {
    await assertCalled("plantilla", { q: "Salta", tags: [] });
    assert.equal(JSON.parse(house.weather.last.body).days, 1);
  });
});
