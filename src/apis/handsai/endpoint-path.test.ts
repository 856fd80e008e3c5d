import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { endpointFault, endpointOf } from "./endpoint-path.ts";

describe("the path of a tool", () => {
  for (const path of [
    "/",
    "",
    "/v1/current.json",
    "v1/current.json",
    "/v1/{city}/forecast",
    "/v1/models/x:generate",
    "/{a}:{b}",
    "/v1/a..b/...",
    "/v1/.well-known/x",
    "/v1/echo?aqi=no",
    "/v1/echo?q={q}&lang=es&when=../x",
    "/v1/São Paulo/100%",
  ]) {
    it(`may be ${JSON.stringify(path)}`, () => {
      assert.equal(endpointFault(path), undefined);
    });
  }

  for (const path of [
    "https://evil.example/x",
    "HTTPS:evil.example",
    "mailto:ana@evil.example",
    "//evil.example/x",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/v1/../../admin",
    "..",
    "./x",
    "/v1/.",
    "/v1/%2e%2e/admin",
    "/v1/.%2E/admin",
    "/v1/%252e%252E/admin",
    "/v1/%25252e./admin",
    "/v1/..%2fadmin",
    "/v1/%2F..%5cadmin",
    "/v1/..;/admin",
    "/v1/..%3Bx/admin",
    "/v1/a\r\nHost: evil.example",
    "/v1/a\tb",
    "/v1/a\0b",
    "/v1/a#b",
    "/v1/{city",
    "/v1/city}",
    "/v1/{}",
    "/v1/{{city}}",
    "/v1/x?q=a{q}",
    "/v1/x?{q}=1",
    "/v1/x?q={q",
    "/v1/x?%ff={q}",
  ]) {
    it(`may not be ${JSON.stringify(path)}`, () => {
      assert.equal(typeof endpointFault(path), "string");
    });
  }

  it("has places, in the path and as whole values in the query", () => {
    assert.deepEqual(endpointOf("/v1/{city}/{day}/{city}?lang=es&the+days={days}&x=1"), {
      path: "/v1/{city}/{day}/{city}?lang=es&x=1",
      places: ["city", "day"],
      pairs: [{ name: "the days", parameter: "days" }],
    });
    assert.deepEqual(endpointOf("/v1?q={q}"), { path: "/v1", places: [], pairs: [{ name: "q", parameter: "q" }] });
  });
});
