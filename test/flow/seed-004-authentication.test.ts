/**
 * Every way to authenticate at an API, as the weather service sees it: nothing of it is in a tool's arguments, and nothing
 * is sent that was not asked for. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { assertText, type OpenWeather, oauthFields, openWeather, parameter } from "../support/seed-004.ts";
import { WeatherApi, weatherIn } from "../support/weather-api.ts";

const SECRET = "secreto+/=ñ&x";
const ASCII = "secreto-A1+/=";
const PLACES = { header: "HEADER", query: "QUERY_PARAMETER", body: "IN_BODY" } as const;

let house: OpenWeather;
before(async () => {
  house = await openWeather();
});
after(() => house?.stop());
beforeEach(() => house.weather.forget());

function apiKey(where: keyof typeof PLACES, apiKeyName: string | null, apiKeyValue: string = ASCII): object {
  return { authenticationType: "API_KEY", apiKeyLocation: PLACES[where], apiKeyName, apiKeyValue };
}

/** Describes a tool, calls it once, and forgets what led there. */
async function called(code: string, more: object): Promise<void> {
  await house.tools.add(code, "/v1/echo", more);
  house.weather.forget();
  assertText(await house.tools.call(code, { q: "Salta" }), "1");
  assert.equal(house.weather.received.length, 1);
}

describe("authenticationType", () => {
  it("NONE: nothing is sent, not even a key that is there", async () => {
    await called("ninguna", { apiKeyName: "X-Llave", apiKeyValue: ASCII });
    const { headers, target } = house.weather.last;
    assert.equal(headers.authorization, undefined);
    assert.ok(!JSON.stringify([headers, target]).includes(ASCII));
  });

  it("API_KEY in a HEADER of the given name, on every method", async () => {
    for (const httpMethod of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      await called(`cabecera-${httpMethod}`, { ...apiKey("header", "X-Llave"), httpMethod });
      const { headers, target, body } = house.weather.last;
      assert.equal(headers["x-llave"], ASCII, httpMethod);
      assert.ok(!`${target}${body}`.includes("secreto"), httpMethod);
    }
  });

  it("API_KEY in a HEADER without a name is X-API-Key", async () => {
    await called("cabecera-sin-nombre", apiKey("header", null));
    assert.equal(house.weather.last.headers["x-api-key"], ASCII);
  });

  it("API_KEY as a QUERY_PARAMETER, escaped, on every method, and not in the body", async () => {
    for (const httpMethod of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      await called(`consulta-${httpMethod}`, { ...apiKey("query", "key", SECRET), httpMethod });
      const { query, body, headers } = house.weather.last;
      assert.deepEqual(query.getAll("key"), [SECRET], httpMethod);
      assert.ok(!body.includes("secreto") && !JSON.stringify(headers).includes("secreto"), httpMethod);
    }
  });

  it("API_KEY IN_BODY, beside the arguments", async () => {
    await called("cuerpo", { ...apiKey("body", "api_key", SECRET), httpMethod: "POST" });
    const { body, target } = house.weather.last;
    assert.deepEqual(JSON.parse(body), { q: "Salta", api_key: SECRET });
    assert.equal(target, "/v1/echo");
  });

  it("API_KEY IN_BODY in a template too", async () => {
    const bodyPayloadTemplate = '{"auth":"{{api_key}}","city":"{{q}}"}';
    await called("cuerpo-plantilla", { ...apiKey("body", "api_key", SECRET), httpMethod: "POST", bodyPayloadTemplate });
    assert.deepEqual(JSON.parse(house.weather.last.body), { auth: SECRET, city: "Salta" });
  });

  it("BEARER_TOKEN", async () => {
    await called("ficha", { authenticationType: "BEARER_TOKEN", apiKeyName: "Authorization", apiKeyValue: ASCII });
    assert.equal(house.weather.last.headers.authorization, `Bearer ${ASCII}`);
  });

  it("BASIC_AUTH sends what was stored, as it was stored", async () => {
    const apiKeyValue = Buffer.from("ana:clave").toString("base64");
    await called("basica", { authenticationType: "BASIC_AUTH", apiKeyName: "Authorization", apiKeyValue });
    assert.equal(house.weather.last.headers.authorization, `Basic ${apiKeyValue}`);
  });
});

describe("what the caller gives", () => {
  it("does not take the place of the key, nor stand beside it", async () => {
    const parameters = [parameter("q"), parameter("key")];
    await house.tools.add("terca", "/v1/echo", { ...apiKey("query", "key"), parameters });
    house.weather.forget();
    const { result } = (await house.tools.call("terca", { q: "Salta", key: "de-fuera" })).body;
    assert.equal(result.isError, undefined);
    const queries = house.weather.received.map(({ query }) => [...query]);
    const expected = [
      ["q", "Salta"],
      ["key", ASCII],
    ];
    assert.deepEqual(queries, [expected]);
  });

  it("never holds the secret: it is in no list", async () => {
    const lists = [
      await house.tools.discover(),
      await house.tools.list(),
      (await house.tools.http.rpc("/mcp", "tools/list")).body,
    ];
    assert.doesNotMatch(JSON.stringify(lists), /secreto/);
    const tool = (await house.tools.list()).find(({ name }) => name === "consulta-GET");
    assert.deepEqual(Object.keys(tool.inputSchema.properties), ["q"]);
  });
});

describe("customHeaders", () => {
  it("go with every request, beside the authentication", async () => {
    const customHeaders = { "X-Cliente": "zaguan", Accept: "application/vnd.clima+json" };
    await called("propias", { ...apiKey("header", "X-Llave"), customHeaders });
    const { headers } = house.weather.last;
    assert.deepEqual(
      [headers["x-cliente"], headers.accept, headers["x-llave"]],
      ["zaguan", "application/vnd.clima+json", ASCII],
    );
  });

  it("are changed with the tool, and taken away", async () => {
    const { body } = await house.tools.get("propias");
    const fields = { ...body, ...apiKey("header", "X-Llave") };
    await house.tools.put(body.id, { ...fields, customHeaders: { "X-Cliente": "otro" } });
    await house.tools.call("propias", { q: "x" });
    assert.equal(house.weather.last.headers["x-cliente"], "otro");
    await house.tools.put(body.id, { ...fields, customHeaders: {} });
    await house.tools.call("propias", { q: "x" });
    assert.equal(house.weather.last.headers["x-cliente"], undefined);
  });
});

describe("OAuth client credentials", () => {
  const tokenRequests = (): number => house.weather.at("/oauth/token").length;

  for (const sendAs of ["header", "body"] as const) {
    it(`asks for a token with the secret in the ${sendAs}, and calls with it`, async () => {
      const code = `oauth-${sendAs}`;
      await house.tools.add(code, "/v1/members.json", oauthFields(`${house.weather.url}/oauth/token`, sendAs, ASCII));
      house.weather.forget();
      assert.equal(assertText(await house.tools.call(code, { q: "Salta" }), "1"), weatherIn("Salta"));
      const [asked, ...more] = house.weather.at("/oauth/token");
      assert.deepEqual([asked?.method, more], ["POST", []]);
      assert.match(asked?.headers["content-type"] ?? "", /^application\/x-www-form-urlencoded/);
      const form = Object.fromEntries(new URLSearchParams(asked?.body));
      assert.deepEqual([form["grant_type"], form["scope"]], ["client_credentials", "clima mareas"]);
      if (sendAs === "header") {
        // RFC 6749 2.3.1: both are form-encoded before they are joined.
        const pair = `zaguan:${encodeURIComponent(ASCII)}`;
        assert.equal(asked?.headers.authorization, `Basic ${Buffer.from(pair).toString("base64")}`);
        assert.equal(form["client_secret"], undefined);
      } else {
        assert.deepEqual([form["client_id"], form["client_secret"]], ["zaguan", ASCII]);
        assert.equal(asked?.headers.authorization, undefined);
      }
    });
  }

  it("uses the token again, and asks for one only once for calls at the same time", async () => {
    await house.tools.call("oauth-header", { q: "a" });
    house.weather.forget();
    await Promise.all(["b", "c", "d"].map((q) => house.tools.call("oauth-header", { q })));
    assert.equal(tokenRequests(), 0);
    await house.tools.add(
      "oauth-juntas",
      "/v1/members.json",
      oauthFields(`${house.weather.url}/oauth/token`, "header", ASCII),
    );
    house.weather.forget();
    const answers = await Promise.all(["b", "c", "d"].map((q) => house.tools.call("oauth-juntas", { q })));
    for (const answer of answers) assertText(answer, "1");
    assert.equal(tokenRequests(), 1);
  });

  it("gets another where the service does not take it any more", async () => {
    house.weather.tokens.clear();
    assert.equal(assertText(await house.tools.call("oauth-body", { q: "Salta" }), "1"), weatherIn("Salta"));
    assert.equal(tokenRequests(), 1);
  });

  it("sends the secret to nobody but the giver of tokens", async () => {
    house.weather.tokens.clear();
    for (const code of ["oauth-header", "oauth-body"]) assertText(await house.tools.call(code, { q: "a" }), "1");
    const pair = Buffer.from(`zaguan:${encodeURIComponent(ASCII)}`).toString("base64");
    const hasSecret = ({ target, headers, body }: (typeof house.weather.received)[number]): boolean =>
      ["secreto", pair].some((secret) => JSON.stringify([target, headers, body]).includes(secret));
    const told = house.weather.received.map((request) => [request.path, hasSecret(request)]);
    const refused = ["/v1/members.json", false];
    const answered = ["/v1/members.json", false];
    assert.deepEqual(told, [refused, ["/oauth/token", true], answered, refused, ["/oauth/token", true], answered]);
  });
});

describe("a tool that moves to another address", () => {
  it("keeps its secret to itself until it is given again", async () => {
    const elsewhere = await WeatherApi.start();
    try {
      const { id } = await house.tools.add("mudada", "/v1/echo", apiKey("header", "X-Llave"));
      const { body } = await house.tools.get(id);
      await house.tools.put(id, { ...body, baseUrl: elsewhere.url });
      await house.tools.call("mudada", { q: "x" });
      assert.ok(
        !JSON.stringify(elsewhere.received.map(({ rawHeaders, target }) => [rawHeaders, target])).includes("secreto"),
      );
      await house.tools.put(id, { ...body, baseUrl: elsewhere.url, ...apiKey("header", "X-Llave") });
      await house.tools.call("mudada", { q: "x" });
      assert.equal(elsewhere.last.headers["x-llave"], ASCII);
    } finally {
      await elsewhere.close();
    }
  });

  it("keeps it where something else changes, and a blank value is none", async () => {
    const { id } = await house.tools.add("quieta", "/v1/echo", apiKey("header", "X-Llave"));
    const { body } = await house.tools.get(id);
    for (const more of [{}, { apiKeyValue: null }, { apiKeyValue: "" }]) {
      await house.tools.put(id, { ...body, description: "otra", ...more });
      assertText(await house.tools.call("quieta", { q: "x" }), "1");
      assert.equal(house.weather.last.headers["x-llave"], ASCII);
    }
  });
});
