import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NO_CREDENTIALS } from "../../sources/api/auth.ts";
import { type ApiRequest, requestOf } from "../../sources/api/request.ts";
import { operationOf } from "./operation.ts";
import type { ParameterDescription, ToolDescription } from "./types.ts";

const OPTIONS = { baseUrl: "https://api.example.org/base/", headers: {} };

describe("what is listed of a described tool", () => {
  it("is what the seed prints, and nothing else", () => {
    const described = tool({
      description: "Obtiene el clima actual para una ciudad específica.",
      parameters: [
        parameter("q", { description: "Nombre de la ciudad", required: true }),
        parameter("key", { description: "API Key para el servicio de clima", required: true }),
      ],
    });
    const { name, title, description, inputSchema, plain, outputSchema, security } = operationOf(described);
    assert.deepEqual(
      [name, title, description, plain, outputSchema, security],
      ["clima4", "Clima", described.description, true, undefined, undefined],
    );
    assert.equal(
      JSON.stringify(inputSchema),
      '{"type":"object","properties":{"q":{"type":"string","description":"Nombre de la ciudad"},' +
        '"key":{"type":"string","description":"API Key para el servicio de clima"}},"required":["q","key"]}',
    );
  });

  it("has every type in small letters", () => {
    const kinds = ["STRING", "NUMBER", "BOOLEAN", "OBJECT", "ARRAY"] as const;
    const { inputSchema } = operationOf(tool({ parameters: kinds.map((type) => parameter(type, { type })) }));
    const properties = inputSchema["properties"] as Record<string, { readonly type: string }>;
    for (const kind of kinds) assert.equal(properties[kind]?.type, kind.toLowerCase());
    assert.deepEqual(inputSchema["required"], []);
  });

  it("does not ask the caller for what has a default", () => {
    const parameters = [
      parameter("a", { required: true, defaultValue: "x" }),
      parameter("b", { required: true, defaultValue: "" }),
      parameter("c", { required: true, defaultValue: null }),
    ];
    assert.deepEqual(operationOf(tool({ parameters })).inputSchema["required"], ["b", "c"]);
  });

  it("asks for what stands in the path, described or not, unless it has a default", () => {
    const parameters = [parameter("city"), parameter("day", { defaultValue: "1" })];
    const { inputSchema } = operationOf(tool({ endpointPath: "/{city}/{day}/{hour}?x={x}", parameters }));
    assert.deepEqual(inputSchema["required"], ["city", "hour", "x"]);
    assert.deepEqual((inputSchema["properties"] as Record<string, unknown>)["hour"], { type: "string" });
  });

  it("has no title where there is no other name", () => {
    assert.ok(!("title" in operationOf(tool({ name: "clima4" }))));
  });

  it("may have a parameter of any name", () => {
    const { inputSchema } = operationOf(tool({ parameters: [parameter("__proto__", { required: true })] }));
    assert.deepEqual(Object.keys(inputSchema["properties"] as object), ["__proto__"]);
  });
});

describe("GET and DELETE", () => {
  for (const httpMethod of ["GET", "DELETE"] as const) {
    it(`${httpMethod}: everything is in the query, and there is no body`, () => {
      const parameters = [parameter("q"), parameter("lang")];
      const sent = requested(tool({ httpMethod, parameters }), { q: "a&b=c" });
      assert.deepEqual(
        [sent.method, sent.url, sent.body],
        [httpMethod, "https://api.example.org/base/v1/echo?q=a%26b%3Dc", undefined],
      );
    });
  }

  it("a list is as many pairs, and an object is JSON", () => {
    const parameters = [parameter("l", { type: "ARRAY" }), parameter("o", { type: "OBJECT" })];
    assert.equal(queryOf(tool({ parameters }), { l: ["a", "b"], o: { x: 1 } }), 'l=a&l=b&o={"x":1}');
  });

  it("a query that the path has already stays, and its places are filled", () => {
    const described = tool({
      endpointPath: "/v1/echo?aqi=no&city={q}",
      parameters: [parameter("q"), parameter("lang")],
    });
    assert.equal(queryOf(described, { q: "Salta", lang: "es" }), "aqi=no&city=Salta&lang=es");
  });

  it("defaults are sent where nothing was given, and give way to what is", () => {
    const parameters = [
      parameter("lang", { defaultValue: "es" }),
      parameter("days", { type: "NUMBER", defaultValue: "3" }),
      parameter("alerts", { type: "BOOLEAN", defaultValue: "true" }),
      parameter("none", { defaultValue: null }),
    ];
    assert.equal(queryOf(tool({ parameters }), {}), "lang=es&days=3&alerts=true");
    assert.equal(queryOf(tool({ parameters }), { lang: "", days: 0, alerts: false }), "lang=&days=0&alerts=false");
  });
});

describe("{parameter} in the path", () => {
  const parameters = [parameter("city", { required: true }), parameter("days", { type: "NUMBER" })];
  const described = { endpointPath: "/v1/{city}/forecast", parameters };

  it("is one segment, and is nowhere else", () => {
    const { url } = requested(tool(described), { city: "a/b ñ", days: 3 });
    assert.equal(url, "https://api.example.org/base/v1/a%2Fb%20%C3%B1/forecast?days=3");
    const post = requested(tool({ ...described, httpMethod: "POST" }), { city: "x", days: 3 });
    assert.deepEqual([post.url, post.body], ["https://api.example.org/base/v1/x/forecast", '{"days":3}']);
  });

  it("is filled by a default", () => {
    const city = parameter("city", { defaultValue: "Salta" });
    assert.match(requested(tool({ ...described, parameters: [city] }), {}).url, /v1\/Salta\/forecast$/);
  });

  it("is filled where nobody has described it", () => {
    assert.match(requested(tool({ ...described, parameters: [] }), { city: "Salta" }).url, /v1\/Salta\/forecast$/);
  });
});

describe("POST, PUT and PATCH", () => {
  for (const httpMethod of ["POST", "PUT", "PATCH"] as const) {
    it(`${httpMethod}: a JSON body of all arguments with their types, and no query`, () => {
      const parameters = [parameter("q"), parameter("o", { type: "OBJECT" }), parameter("l", { type: "ARRAY" })];
      const args = { q: 'Río "Cuarto"', o: { lat: -33.1, lon: null }, l: [1, "dos"] };
      const sent = requested(tool({ httpMethod, parameters }), args);
      assert.deepEqual([sent.method, sent.url], [httpMethod, "https://api.example.org/base/v1/echo"]);
      assert.equal(sent.headers["content-type"], "application/json");
      assert.deepEqual(JSON.parse(String(sent.body)), args);
    });
  }

  it("defaults have the type of their parameter", () => {
    const parameters = [
      parameter("days", { type: "NUMBER", defaultValue: "3" }),
      parameter("alerts", { type: "BOOLEAN", defaultValue: "True" }),
      parameter("o", { type: "OBJECT", defaultValue: '{"a":[1]}' }),
      parameter("l", { type: "ARRAY", defaultValue: '["a"]' }),
    ];
    const { body } = requested(tool({ httpMethod: "POST", parameters }), {});
    assert.deepEqual(JSON.parse(String(body)), { days: 3, alerts: true, o: { a: [1] }, l: ["a"] });
  });

  it("there is a body even where there is nothing to say", () => {
    assert.equal(requested(tool({ httpMethod: "POST", parameters: [] }), {}).body, "{}");
  });
});

describe("bodyPayloadTemplate", () => {
  const described = {
    httpMethod: "POST",
    endpointPath: "/v1/{city}",
    bodyPayloadTemplate: '{"place":"{{city}}","days":{{days}},"tags":{{tags}}}',
    parameters: [
      parameter("city"),
      parameter("days", { type: "NUMBER", defaultValue: "1" }),
      parameter("tags", { type: "ARRAY" }),
    ],
  } as const;

  it("is the body, with arguments and defaults in their places", () => {
    const { body, url } = requested(tool(described), { city: '"},"x":"', tags: ["a"] });
    assert.deepEqual(JSON.parse(String(body)), { place: '"},"x":"', days: 1, tags: ["a"] });
    assert.ok(!url.includes("?"), url);
  });

  it("takes the default of what stands in the path as well", () => {
    const [, ...others] = described.parameters;
    const parameters = [parameter("city", { defaultValue: "Salta" }), ...others];
    const { body } = requested(tool({ ...described, parameters }), { tags: [] });
    assert.deepEqual(JSON.parse(String(body)), { place: "Salta", days: 1, tags: [] });
  });

  it("is nothing to a GET", () => {
    assert.equal(requested(tool({ ...described, httpMethod: "GET" }), { city: "x", tags: [] }).body, undefined);
  });
});

function tool(more: Partial<ToolDescription> = {}): ToolDescription {
  return {
    name: "Clima",
    code: "clima4",
    enabled: true,
    description: "d",
    endpointPath: "/v1/echo",
    httpMethod: "GET",
    bodyPayloadTemplate: null,
    parameters: [parameter("q")],
    ...more,
  };
}

function parameter(name: string, more: Partial<ParameterDescription> = {}): ParameterDescription {
  return { name, type: "STRING", description: `the ${name}`, required: false, defaultValue: "", ...more };
}

function requested(described: ToolDescription, args: object): ApiRequest {
  return requestOf(operationOf(described), { ...args }, OPTIONS, NO_CREDENTIALS);
}

function queryOf(described: ToolDescription, args: object): string {
  return decodeURIComponent(new URL(requested(described, args).url).search.slice(1));
}
