/** Written tools, held against what they make of a call on the wire. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseConfig } from "../config/load.ts";
import type { WrittenApiConfig } from "../config/types.ts";
import { NO_CREDENTIALS } from "../sources/api/auth.ts";
import type { ApiOperation } from "../sources/api/operation.ts";
import { requestOf } from "../sources/api/request.ts";
import { operationsOfTools } from "./file-operations.ts";

const FORECAST = {
  name: "forecast",
  description: "The weather to come",
  path: "/v1/{city}/days?lang=en",
  parameters: [
    { name: "city", description: "Its name" },
    { name: "days", type: "integer", default: 3 },
    { name: "hours", type: "array" },
    { name: "filter", type: "object" },
    { name: "X-Units", in: "header", required: true },
  ],
};
const REPORT = {
  name: "report",
  description: "Says what it is like",
  method: "POST",
  path: "/v1/{city}",
  parameters: [
    { name: "city" },
    { name: "text", required: true },
    { name: "degrees", type: "number", default: 20 },
    { name: "dry", type: "boolean", in: "query" },
  ],
};

describe("a tool that somebody wrote down", () => {
  it("is an operation with its name, and the usual credentials", () => {
    const { name, description, method, path, security } = operation(FORECAST);
    assert.deepEqual([name, description, method, path], ["forecast", FORECAST.description, "GET", FORECAST.path]);
    assert.equal(security, undefined);
  });

  it("says what its arguments are", () => {
    assert.deepEqual(operation(FORECAST).inputSchema, {
      type: "object",
      properties: {
        city: { type: "string", description: "Its name" },
        days: { type: "integer", default: 3 },
        hours: { type: "array", items: {} },
        filter: { type: "object" },
        "X-Units": { type: "string" },
      },
      required: ["city", "X-Units"],
      additionalProperties: false,
    });
    const none = { name: "ping", description: "Pings", path: "/" };
    assert.deepEqual(operation(none).inputSchema, { type: "object", properties: {}, additionalProperties: false });
  });

  it("asks for nothing that has a default", () => {
    const parameters = [
      { name: "city", default: "Madrid" },
      { name: "q", required: true, default: "x" },
    ];
    const tool = { ...FORECAST, parameters };
    assert.equal(operation(tool).inputSchema["required"], undefined);
    assert.equal(sent(tool, {}).url, "https://api.test/v1/Madrid/days?lang=en&q=x");
  });

  it("puts values into path, query and headers", () => {
    const args = { city: "São Paulo/x", hours: [6, 12], filter: { a: 1 }, "X-Units": "metric" };
    const { method, url, headers, body } = sent(FORECAST, args);
    assert.equal(method, "GET");
    const query = "lang=en&days=3&hours=6&hours=12&filter=%7B%22a%22%3A1%7D";
    assert.equal(url, `https://api.test/v1/S%C3%A3o%20Paulo%2Fx/days?${query}`);
    assert.equal(headers["x-units"], "metric");
    assert.equal(body, undefined);
  });

  it("makes a JSON object of what belongs into the body", () => {
    const { method, url, headers, body } = sent(REPORT, { city: "Vigo", text: "rain", dry: false });
    assert.deepEqual([method, url], ["POST", "https://api.test/v1/Vigo?dry=false"]);
    assert.equal(headers["content-type"], "application/json");
    assert.deepEqual(JSON.parse(String(body)), { text: "rain", degrees: 20 });
  });

  it("sends no body where nothing of it was given", () => {
    const parameters = [{ name: "text" }];
    assert.equal(sent({ ...REPORT, path: "/v1", parameters }, {}).body, undefined);
  });

  it("fills a template, with defaults, and with what stands in the path too", () => {
    const bodyTemplate = '{"note": "In {{city}}: {{ text }}", "celsius": {{degrees}}}';
    const { url, body } = sent({ ...REPORT, bodyTemplate }, { city: "Vigo", text: 'a "wet" day' });
    assert.equal(url, "https://api.test/v1/Vigo");
    assert.deepEqual(JSON.parse(String(body)), { note: 'In Vigo: a "wet" day', celsius: 20 });
  });

  it("has arguments that every client can write, and names on the wire as they are", () => {
    const parameters = [{ name: "$filter" }, { name: "filter" }, { name: "page[size]", type: "integer" }];
    const query = { ...FORECAST, path: "/v1", parameters };
    assert.deepEqual(Object.keys(operation(query).inputSchema["properties"] as object), [
      "filter",
      "filter_2",
      "page_size",
    ]);
    const args = { filter: "a", filter_2: "b", page_size: 5 };
    assert.equal(sent(query, args).url, "https://api.test/v1?%24filter=a&filter=b&page%5Bsize%5D=5");
    const bodyTemplate = '{"f": {{$filter}}, "g": {{filter}}, "h": {{page[size]}}}';
    const body = String(sent({ ...query, method: "POST", bodyTemplate }, args).body);
    assert.deepEqual(JSON.parse(body), { f: "a", g: "b", h: 5 });
  });
});

/** Through the configuration, as it comes in a running hub. */
function operation(tool: unknown): ApiOperation {
  const text = JSON.stringify({ apiTools: { a: { baseUrl: "https://api.test", tools: [tool] } } });
  const { tools } = parseConfig(text, "zaguan.json", {}).apiTools["a"] as WrittenApiConfig;
  return operationsOfTools(tools)[0] ?? assert.fail();
}

function sent(tool: unknown, args: Readonly<Record<string, unknown>>) {
  return requestOf(operation(tool), args, { baseUrl: "https://api.test", headers: {} }, NO_CREDENTIALS);
}
