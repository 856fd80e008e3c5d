import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import type { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { type Arguments, argumentsIn } from "./arguments.ts";
import { type Credentials, NO_CREDENTIALS } from "./auth.ts";
import type { ApiBody, ApiOperation, ApiParameter } from "./operation.ts";
import { type ApiRequest, requestOf } from "./request.ts";

const API = { baseUrl: "https://api.test/v1/", headers: {} };

function operation(given: Partial<ApiOperation>): ApiOperation {
  return { name: "op", description: "", method: "GET", path: "/x", parameters: [], inputSchema: {}, ...given };
}

function parameter(name: string, given: Partial<ApiParameter> = {}): ApiParameter {
  const style = given.in === "path" || given.in === "header" ? "simple" : "form";
  return { argument: name, name, in: "query", style, explode: style === "form", required: false, ...given };
}

function build(given: Partial<ApiOperation>, args: Arguments, credentials: Partial<Credentials> = {}): ApiRequest {
  return requestOf(operation(given), args, API, { ...NO_CREDENTIALS, ...credentials });
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    const { code, delivery, details } = error as ZaguanError;
    assert.deepEqual([code, delivery], ["INVALID_ARGUMENT", "not_sent"]);
    return String(details.params?.["reason"]);
  }
  return assert.fail("it was not refused");
}

describe("the URL of a request", () => {
  const city: Partial<ApiOperation> = {
    path: "/cities/{city}/weather",
    parameters: [parameter("city", { in: "path", required: true }), parameter("q")],
  };

  it("has the values in their places", () => {
    assert.equal(
      build(city, { city: "São Paulo", q: "a b&c" }).url,
      "https://api.test/v1/cities/S%C3%A3o%20Paulo/weather?q=a%20b%26c",
    );
  });

  it("has what the base and the path fix, before all else", () => {
    const options = { baseUrl: "https://api.test/v1?k=1", headers: {} };
    const request = requestOf(operation({ ...city, path: "/y?z=2" }), { q: "3" }, options, NO_CREDENTIALS);
    assert.equal(request.url, "https://api.test/v1/y?k=1&z=2&q=3");
  });

  it("cannot be led out of its path", () => {
    const climbing = ["..", ".", "../../admin", "a/../b", "..\\..", "a/.", "../x?y#z"];
    for (const value of climbing)
      assert.match(
        refusal(() => build(city, { city: value })),
        /^'city' may not/,
      );
    for (const value of ["", null, undefined, []]) refusal(() => build(city, { city: value }));
    for (const value of ["a/b", "a?b", "a#b", "a%2fb", "..%2f", "%2e%2e", ";x=1", "...", "a..b"]) {
      const url = new URL(build(city, { city: value }).url);
      assert.equal(url.pathname.split("/").length, 5, value);
      assert.equal(decodeURIComponent(url.pathname.split("/")[3] ?? ""), value);
      assert.equal(url.search + url.hash, "");
    }
    const halves = [parameter("a", { in: "path" }), parameter("b", { in: "path" })];
    refusal(() => build({ path: "/{a}{b}/x", parameters: halves }, { a: ".", b: "." }));
  });

  it("has as many segments as its path, whatever the value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (value) => {
        fc.pre(!value.split(/[/\\]/).some((part) => part === "." || part === ".."));
        const { pathname, search, hash, host } = new URL(build(city, { city: value }).url);
        const [, v1, cities, text, weather, ...more] = pathname.split("/");
        assert.deepEqual(
          [v1, cities, weather, more, search + hash, host],
          ["v1", "cities", "weather", [], "", "api.test"],
        );
        assert.equal(decodeURIComponent(text ?? ""), value.toWellFormed());
      }),
    );
  });

  it("says which argument is missing", () => {
    const given = { parameters: [parameter("q", { required: true })] };
    assert.equal(
      refusal(() => build(given, {})),
      "missing required parameter 'q'",
    );
  });

  it("applies defaults, and ignores what nobody declared", () => {
    const given = { parameters: [parameter("units", { default: "metric" })] };
    assert.equal(build(given, { other: "x", __proto__: { units: "no" } }).url, "https://api.test/v1/x?units=metric");
  });

  it("keeps the digits of large numbers", () => {
    const args = argumentsIn(Payload.ofText('{"id":12345678901234567890,"n":1.5}'));
    assert.equal(build({ parameters: [parameter("id")] }, args).url, "https://api.test/v1/x?id=12345678901234567890");
    const body: ApiBody = {
      kind: "json",
      contentType: "application/json",
      required: true,
      members: [{ argument: "id", name: "id" }],
    };
    assert.equal(build({ method: "POST", body }, args).body, '{"id":12345678901234567890}');
  });
});

describe("credentials", () => {
  it("win over arguments and configuration of the same name", () => {
    const given = {
      parameters: [
        parameter("key"),
        parameter("X-Key", { in: "header" }),
        parameter("sid", { in: "cookie" }),
        parameter("lang", { in: "cookie" }),
      ],
    };
    const secret = { query: [["key", "s1"]], headers: { "x-key": "s2" }, cookies: [["sid", "s;3"]] } as const;
    const request = build(given, { key: "mine", "X-Key": "mine", sid: "mine", lang: "a b" }, secret);
    assert.equal(request.url, "https://api.test/v1/x?key=s1");
    assert.equal(request.headers["x-key"], "s2");
    assert.equal(request.headers["cookie"], "lang=a%20b; sid=s%3B3");
  });

  it("cannot be given as arguments, nor can the headers of the transport", () => {
    const names = ["Authorization", "Content-Type", "Accept", "Cookie", "Host", "Content-Length", "Transfer-Encoding"];
    const given = { parameters: names.map((name) => parameter(name, { in: "header" })) };
    const { headers } = build(given, Object.fromEntries(names.map((name) => [name, "evil"])));
    assert.ok(!Object.values(headers).includes("evil"));
  });

  it("may stand in the body, even where there is none else", () => {
    const body: ApiBody = {
      kind: "json",
      contentType: "application/json",
      required: false,
      members: [{ argument: "q", name: "q" }],
    };
    const secret = { body: [["key", "s"]] } as const;
    assert.equal(build({ method: "POST", body }, { q: 1, key: "mine" }, secret).body, '{"q":1,"key":"s"}');
    assert.equal(build({ method: "POST" }, {}, secret).body, '{"key":"s"}');
    assert.equal(build({ method: "GET" }, {}, secret).body, undefined);
    const form = { ...body, kind: "form", contentType: "application/x-www-form-urlencoded" } as const;
    assert.equal(build({ method: "POST", body: form }, { q: "a b" }, secret).body, "q=a+b&key=s");
    const template = { ...body, template: '{"q": {{q}}}' };
    assert.equal(build({ method: "POST", body: template }, { q: "x" }, secret).body, '{"q":"x","key":"s"}');
    const placed = { ...body, template: '{"q": {{q}}, "auth": "k={{key}}"}' };
    const given = { q: "x", key: "mine" };
    assert.equal(build({ method: "POST", body: placed }, given, secret).body, '{"q": "x", "auth": "k=s"}');
  });
});
