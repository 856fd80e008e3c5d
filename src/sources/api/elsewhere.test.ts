import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { answer, failure, operation, type Seen, TestApis } from "../../../test/support/api-source.ts";
import type { ApiOptions } from "./operation.ts";

const SECRET = "very-secret-key";
const apis = new TestApis();
afterEach(() => apis.close());

const KEYS: ApiOptions["auths"] = {
  "": { type: "bearer", token: SECRET },
  query: { type: "apiKey", in: "query", name: "key", value: SECRET },
  cookie: { type: "apiKey", in: "cookie", name: "sid", value: SECRET },
};
const security = ["", "query", "cookie"];
const headers = { "X-Custom": SECRET };

describe("credentials", () => {
  it("stay with the API's own origin, whatever server an operation names", async () => {
    const other = await apis.serve(answer(200, "{}", "application/json"));
    const operations = (url: string) => [
      operation({ name: "there", server: other.url, security }),
      operation({ name: "here", server: `${url}/v2`, security }),
      operation({ name: "relative", server: "/v3", security }),
    ];
    const { call, seen } = await apis.open((url) => ({ auths: KEYS, headers, operations: operations(url) }));
    for (const name of ["there", "here", "relative"]) await call(name, { q: "x" });
    assert.ok(!JSON.stringify(other.seen).includes(SECRET));
    assert.deepEqual(
      seen.map(({ url }) => url),
      [`/v2/current.json?q=x&key=${SECRET}`, `/v3/current.json?q=x&key=${SECRET}`],
    );
    for (const one of seen) assert.deepEqual(secretsOf(one), [`Bearer ${SECRET}`, SECRET, `sid=${SECRET}`]);
  });

  it("do not follow a redirect to somebody else", async () => {
    const other = await apis.serve(answer(200, "{}", "application/json"));
    const { call, seen } = await apis.open({ auths: KEYS, headers }, (_seen, response) => {
      response.writeHead(302, { location: `${other.url}/elsewhere` }).end();
    });
    await call("weather", { q: "x" });
    assert.equal(seen.length, 1);
    assert.deepEqual(
      other.seen.map(({ url, headers }) => [url, headers.authorization, headers["x-custom"], headers.cookie]),
      [["/elsewhere", undefined, undefined, undefined]],
    );
  });
});

describe("an API that may be private itself", () => {
  it("is called, and nobody whom it points to is", async () => {
    const other = await apis.serve(answer(200, "secrets"));
    const { port } = new URL(other.url);
    const places = [other.url, `http://localhost:${port}/`, `http://[::1]:${port}/`, "http://169.254.169.254/latest"];
    for (const location of places) {
      const { call, seen } = await apis.open({ allowPrivate: false, ownPrivate: true }, ({ url }, response) => {
        if (url.includes("q=stay")) response.end("fine");
        else response.writeHead(302, { location }).end();
      });
      assert.match((await call("weather", { q: "stay" })).text, /fine/);
      const error = await failure(call("weather", { q: "go" }));
      assert.deepEqual([error.code, error.delivery, seen.length], ["FORBIDDEN_ADDRESS", "executed", 2]);
    }
    const server = operation({ server: other.url });
    const { call } = await apis.open({ allowPrivate: false, ownPrivate: true, operations: [server] });
    const error = await failure(call("weather", { q: "x" }));
    assert.deepEqual([error.code, error.delivery], ["FORBIDDEN_ADDRESS", "not_sent"]);
    assert.deepEqual(other.seen, []);
  });

  it("may have its tokens from a private place as well", async () => {
    const tokens = await apis.serve(answer(200, '{"access_token":"tok-1"}', "application/json"));
    const client = { type: "oauth2", clientId: "me", clientSecret: SECRET, scopes: [], sendAs: "body" } as const;
    const auths: ApiOptions["auths"] = { "": { ...client, tokenUrl: `${tokens.url}/token` } };
    const { call, seen } = await apis.open({ allowPrivate: false, ownPrivate: true, auths });
    await call("weather", { q: "x" });
    assert.equal(seen[0]?.headers.authorization, "Bearer tok-1");
  });
});

describe("what an argument may try in vain", () => {
  const places = { path: "/{v}/x", query: "/x", header: "/x", cookie: "/x" } as const;
  const parameter = (place: keyof typeof places) => ({
    argument: "v",
    name: place === "header" ? "X-V" : "v",
    in: place,
  });

  it("sends nothing where it would climb or end a header", async () => {
    const vain = { path: ["..", "../admin", "a/../../b", ".\\..", ""], header: ["a\r\nX-Evil: 1", "a\nb", "a\0b"] };
    for (const [place, values] of Object.entries(vain) as ["path" | "header", string[]][]) {
      const common = { style: "simple", explode: false, required: true } as const;
      const one = operation({ path: places[place], parameters: [{ ...parameter(place), ...common }] });
      const { call, seen } = await apis.open({ operations: [one] });
      for (const v of values) {
        const error = await failure(call("weather", { v }));
        assert.deepEqual([v, error.code, error.delivery], [v, "INVALID_ARGUMENT", "not_sent"]);
        assert.match(String(error.details.params?.["reason"]), place === "path" ? /'v'/ : /'X-V'/);
      }
      assert.deepEqual(seen, []);
    }
  });

  it("ends no line from the query or a cookie either", async () => {
    for (const place of ["query", "cookie"] as const) {
      const common = { style: "form", explode: true, required: true } as const;
      const { call, seen } = await apis.open({
        operations: [operation({ path: "/x", parameters: [{ ...parameter(place), ...common }] })],
      });
      await call("weather", { v: "a\r\nX-Evil: 1; b=c" });
      assert.equal(seen[0]?.headers["x-evil"], undefined);
      assert.match(`${seen[0]?.url}${seen[0]?.headers.cookie}`, /v=a%0D%0AX-Evil%3A%201%3B%20b%3Dc/);
    }
  });
});

describe("what is said of a call", () => {
  it("is said in the caller's language", async () => {
    const { call, result } = await apis.open({ maxAnswerChars: 5 }, answer(200, "0123456789"));
    const cut = await result({ q: "x" }, "fr");
    assert.match(
      cut.content[1]?.text ?? "",
      /^\[caractères 0 à 5 sur 10\u00a0; la réponse a été coupée\u00a0: .*_offset=5/,
    );
    const error = await failure(call("weather", {}, "es"));
    assert.equal(error.details.params?.["reason"], "Falta parámetro requerido: q");
    const nothing = await apis.open({}, answer(204, ""));
    assert.equal((await nothing.result({ q: "x" }, "zh")).content[0]?.text, "HTTP 204 No Content，无内容");
  });
});

function secretsOf({ headers }: Seen): (string | string[] | undefined)[] {
  return [headers.authorization, headers["x-custom"], headers.cookie];
}
