import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";
import type { Operation } from "../../contract/operation.ts";
import { PAGE, PAGE_HEADERS } from "../../contract/page.ts";
import { withHandWritten } from "./hand-written.ts";
import { openApi } from "./openapi.ts";

const LAMP = z.object({ name: z.string(), level: z.int().default(3) }).meta({ id: "Lamp", description: "A lamp." });

const OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    path: "/lamps",
    operationId: "listLamps",
    tag: "Lamps",
    summary: "Lists",
    needs: "admin",
    query: z.object({ ...PAGE, room: z.string() }),
    answers: { 200: { description: "Lamps.", schema: z.array(LAMP), headers: PAGE_HEADERS } },
  },
  {
    method: "PUT",
    path: "/lamps/{id}",
    operationId: "putLamp",
    tag: "Lamps",
    summary: "Puts",
    needs: "nobody",
    names: { id: "Its id or its name." },
    body: z.strictObject({ lamp: LAMP, spare: z.array(LAMP).optional() }),
    answers: { 200: { description: "It.", schema: LAMP }, 204: { description: "Nothing." } },
  },
];

const VERSION = "1.2.3";

interface Shown {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Record<string, unknown>>> };
}

describe("the OpenAPI document", () => {
  const document = openApi(withHandWritten(OPERATIONS), VERSION);
  const { paths, components } = document as unknown as Shown;

  it("fits the official schema", async () => {
    assert.deepEqual(await new Validator().validate(structuredClone(document)), { valid: true });
  });

  it("has only schemas that a checker understands, and whose references lead somewhere", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ ...document, $id: "doc:" });
    for (const name of Object.keys(components.schemas)) {
      assert.ok(ajv.compile({ $ref: `doc:#/components/schemas/${name}` }), name);
    }
    for (const [, name = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
      assert.ok(components.schemas[name], name);
    }
    assert.doesNotMatch(JSON.stringify(document), /\$defs|\$schema/);
  });

  it("names the placeholders of a path and the parameters of a query", () => {
    assert.deepEqual(paths["/lamps/{id}"]?.["put"]?.["parameters"], [
      { name: "id", in: "path", required: true, description: "Its id or its name.", schema: { type: "string" } },
    ]);
    const parameters = paths["/lamps"]?.["get"]?.["parameters"] as { name: string; required: boolean }[];
    assert.deepEqual(
      parameters.map(({ name, required }) => [name, required]),
      [...["offset", "limit", "search"].map((name) => [name, false]), ["room", true]],
    );
    assert.deepEqual(parameters[0], {
      name: "offset",
      in: "query",
      required: false,
      description: "How many to pass over.",
      schema: { type: "integer", minimum: 0, default: 0 },
    });
  });

  it("tells what we answer from what we are sent, where a default makes them differ", () => {
    assert.deepEqual(components.schemas["Lamp"]?.["required"], ["name", "level"]);
    assert.deepEqual(components.schemas["LampInput"]?.["required"], ["name"]);
    const body = JSON.stringify(paths["/lamps/{id}"]?.["put"]?.["requestBody"]);
    assert.match(body, /LampInput/);
    assert.match(body, /"additionalProperties":false/);
  });

  it("asks for a key, except where none is needed", () => {
    assert.deepEqual(document["security"], [{ bearer: [] }, { apiKey: [] }, {}]);
    assert.deepEqual(paths["/lamps/{id}"]?.["put"]?.["security"], []);
    assert.equal(paths["/lamps"]?.["get"]?.["security"], undefined);
  });

  it("promises a problem where anything fails, and headers where they come", () => {
    const responses = paths["/lamps"]?.["get"]?.["responses"] as Record<string, Record<string, unknown>>;
    assert.deepEqual(Object.keys(responses), ["200", "default"]);
    assert.deepEqual(Object.keys(responses["200"]?.["headers"] ?? {}), ["X-Total-Count", "Link"]);
  });

  it("describes what doors of their own answer, unless it is described where it stands", () => {
    assert.ok(paths["/health"]?.["get"] && paths["/openapi.json"]?.["get"]);
    const health = { ...(OPERATIONS[0] as Operation), path: "/health", operationId: "mine" };
    const ids = withHandWritten([health]).map(({ operationId }) => operationId);
    assert.ok(ids.includes("mine") && !ids.includes("health"));
    for (const id of ["metrics", "listToolsStrictly", "apiToolsExecute", "openApi"]) assert.ok(ids.includes(id), id);
    assert.ok(ids.includes("bridgeStatus") && ids.includes("bridgeCallTool"));
  });

  it("has no two operations, nor two schemas, of one name", () => {
    const [first] = OPERATIONS as readonly [Operation];
    assert.throws(
      () => openApi([first, { ...first, path: "/others" }], VERSION),
      /two operations are called listLamps/,
    );
    const another = z.object({ other: z.string() }).meta({ id: "Health" });
    const answers = { 200: { description: "", schema: another } };
    assert.throws(() => openApi(withHandWritten([{ ...first, answers }]), VERSION), /two schemas are called Health/);
  });
});
