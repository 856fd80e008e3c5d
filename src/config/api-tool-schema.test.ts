import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkFileForm } from "./schema.ts";
import type { WrittenToolConfig } from "./types.ts";

const forecast = { name: "forecast", description: "The weather to come", path: "/v1/{city}/days" };
const city = { name: "city" };
const create = { name: "create", description: "Makes one", method: "POST", path: "/v1" };

describe("a tool that is written down", () => {
  it("has parameters whose places are found out", () => {
    const places = (tool: object): unknown =>
      accepted(tool).parameters.map(({ name, in: place }) => `${name} ${place}`);
    const parameters = [city, { name: "days" }, { name: "X-Units", in: "header" }];
    assert.deepEqual(places({ ...forecast, parameters }), ["city path", "days query", "X-Units header"]);
    for (const method of ["HEAD", "DELETE"]) {
      assert.deepEqual(places({ ...forecast, method, parameters: [city, { name: "days" }] }), [
        "city path",
        "days query",
      ]);
    }
    for (const method of ["POST", "PUT", "PATCH"]) {
      assert.deepEqual(places({ ...forecast, method, parameters: [city, { name: "days" }] }), [
        "city path",
        "days body",
      ]);
    }
    const bodyTemplate = '{"days": {{days}}}';
    const deleting = {
      ...forecast,
      method: "DELETE",
      bodyTemplate,
      parameters: [city, { name: "days" }, { name: "q" }],
    };
    assert.deepEqual(places(deleting), ["city path", "days body", "q query"]);
  });

  it("has texts for parameters unless said, which need not be given unless said or in the path", () => {
    const parameters = [city, { name: "days", type: "integer", default: 3 }, { name: "q", required: true }];
    assert.deepEqual(accepted({ ...forecast, parameters }).parameters, [
      { name: "city", type: "string", required: true, in: "path" },
      { name: "days", type: "integer", required: false, default: 3, in: "query" },
      { name: "q", type: "string", required: true, in: "query" },
    ]);
    const [withDefault] = accepted({ ...forecast, parameters: [{ ...city, default: "Madrid" }] }).parameters;
    assert.equal(withDefault?.required, false);
  });

  it("has a name, a description, a method and a path", () => {
    assert.deepEqual(refused({ ...create, name: "a b" }), [
      'name: is 1 to 64 letters without accents, digits, "_", "." or "-"',
    ]);
    assert.deepEqual(refused({ ...create, description: "" }), ["description: must not be empty"]);
    assert.deepEqual(refused({ ...create, method: "get" }), [
      'method: expected one of "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"',
    ]);
    for (const path of ["v1", "", "/a b", "/a#b", "/a\\b", "https://a/b"]) {
      assert.deepEqual(refused({ ...create, path }), [
        'path: expected a path that begins with "/", without spaces and "#"',
      ]);
    }
    for (const path of ["/../a", "/a/.", "/a/%2E%2e/b"]) {
      assert.deepEqual(refused({ ...create, path }), ['path: may not have "." or ".." between slashes']);
    }
    assert.equal(accepted({ ...create, path: "/v1?units=metric" }).path, "/v1?units=metric");
    assert.deepEqual(refused({ name: "a", pth: "/" }), [
      "description: expected a text, found nothing",
      "path: expected a text, found nothing",
      'pth: unknown key "pth" (did you mean "path"?)',
    ]);
  });

  it("has a parameter for every place of its path, and a place for every parameter that belongs there", () => {
    assert.deepEqual(refused(forecast), ['path: has a place {city} for which "parameters" has none in the path']);
    assert.deepEqual(refused({ ...forecast, parameters: [{ ...city, in: "query" }] }), [
      'path: has a place {city} for which "parameters" has none in the path',
    ]);
    assert.deepEqual(refused({ ...forecast, path: "/v1", parameters: [{ ...city, in: "path" }] }), [
      "path: has no place {city} for the parameter of that name",
    ]);
    assert.deepEqual(refused({ ...forecast, parameters: [city, city] }), [
      "parameters[1].name: names a parameter twice",
    ]);
    for (const path of ["/v1/{city", "/v1/city}", "/v1/{}", "/v1/{city}?q={city}"]) {
      const [first] = refused({ ...forecast, path, parameters: [city] });
      assert.equal(first, "path: has a brace that is no place such as {city}; in a query, use a parameter");
    }
  });

  it("has a template that is JSON, with a parameter for every place", () => {
    const parameters = [{ name: "title" }, { name: "count", type: "integer" }];
    const bodyTemplate = '{"title": "A {{title}}", "count": {{ count }}, "kind": "x"}';
    assert.equal(accepted({ ...create, parameters, bodyTemplate }).bodyTemplate, bodyTemplate);
    assert.deepEqual(refused({ ...create, bodyTemplate }), [
      "bodyTemplate: has a place {{title}} for which there is no parameter",
      "bodyTemplate: has a place {{count}} for which there is no parameter",
    ]);
    assert.deepEqual(refused({ ...create, parameters: [...parameters, { name: "more" }], bodyTemplate }), [
      "bodyTemplate: has no place {{more}} for the parameter of that name",
    ]);
    accepted({ ...create, parameters: [...parameters, { name: "more", in: "query" }], bodyTemplate });
    assert.deepEqual(refused({ ...create, parameters, bodyTemplate: "{{title}} {{count}}" }), [
      "bodyTemplate: is no JSON once its places are filled",
    ]);
  });

  it("has a body only where requests have one", () => {
    assert.deepEqual(refused({ ...create, method: "GET", parameters: [{ name: "a", in: "body" }] }), [
      "parameters[0].in: a request with GET has no body",
    ]);
    assert.deepEqual(refused({ ...create, method: "HEAD", bodyTemplate: "{}" }), [
      "bodyTemplate: a request with HEAD has no body",
    ]);
  });

  it("sets no header that is the API's or the connection's", () => {
    const parameters = (name: string) => [{ name, in: "header" }];
    for (const name of ["Authorization", "cookie", "Host", "Content-Length"]) {
      assert.deepEqual(refused({ ...create, parameters: parameters(name) }), [
        'parameters[0].name: is a header that no call may set; use "auth" or "headers" of the API',
      ]);
    }
    assert.deepEqual(refused({ ...create, parameters: parameters("X:Y") }), [
      "parameters[0].name: is not a possible name of a header",
    ]);
  });

  it("has names that stand in a request, and defaults of their type", () => {
    accepted({ ...create, parameters: [{ name: "$filter" }, { name: "page[size]" }] });
    assert.deepEqual(refused({ ...create, parameters: [{ name: "a b" }] }), [
      "parameters[0].name: is 1 to 64 characters without spaces and braces",
    ]);
    const wrong = [
      ["string", 1, "expected a text, found a number"],
      ["number", "1", "expected a number, found a text"],
      ["integer", 1.5, "expected a whole number, found a fraction"],
      ["boolean", "true", "expected true or false, found a text"],
      ["array", {}, "expected a list, found an object"],
      ["object", [], "expected an object, found a list"],
      [undefined, null, "expected a text, found null"],
    ];
    for (const [type, value, text] of wrong) {
      const parameters = [{ name: "p", ...(type !== undefined && { type }), default: value }];
      assert.deepEqual(refused({ ...create, parameters }), [`parameters[0].default: ${text}`]);
    }
    const right = { string: "a", number: 1.5, integer: 1, boolean: false, array: [1], object: { a: 1 } };
    accepted({
      ...create,
      parameters: Object.entries(right).map(([type, value]) => ({ name: type, type, default: value })),
    });
  });
});

function accepted(tool: unknown): WrittenToolConfig {
  const checked = checkFileForm({ apiTools: { a: { baseUrl: "https://a", tools: [tool] } } });
  assert.ok("config" in checked, JSON.stringify(checked));
  const api = checked.config.apiTools["a"];
  return api && "tools" in api && api.tools[0] ? api.tools[0] : assert.fail();
}

function refused(tool: unknown): string[] {
  const checked = checkFileForm({ apiTools: { a: { baseUrl: "https://a", tools: [tool] } } });
  assert.ok("problems" in checked, "was accepted");
  return checked.problems.map(({ path, text }) => `${path.replace("apiTools.a.tools[0].", "")}: ${text}`);
}
