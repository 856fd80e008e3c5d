/** The OpenAPI 3.1 document of the operations that a hub has. Loaded when somebody asks for it. */

import { z } from "zod";
import {
  type AnswerDescription,
  type BodySchema,
  type Operation,
  type QuerySchema,
  RIGHTS,
} from "../../contract/operation.ts";
import { Problem } from "../../contract/problem.ts";

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly [member: string]: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** Without `servers`, which depends on the address by which the reader came. */
export function openApi(operations: readonly Operation[], version: string): OpenApiDocument {
  refuseDoubles(operations.map(({ operationId }) => operationId));
  const schemas = new NamedSchemas();
  const problem = { "application/problem+json": { schema: schemas.output(Problem) } };
  // Answers come first, so that they take the plain names; a body that differs gets a longer one.
  const answers = new Map(operations.map((operation) => [operation, responsesOf(operation, schemas)]));
  return {
    openapi: "3.1.0",
    info: { title: "Zaguan", version, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    // No key is needed on the hub's own machine.
    security: [{ bearer: [] }, { apiKey: [] }, {}],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: pathsOf(operations, (operation) => operationOf(operation, answers.get(operation) ?? {}, schemas)),
    components: {
      schemas: schemas.all(),
      responses: { Problem: { description: "What went wrong, in the caller's language.", content: problem } },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A key that 'zaguan key create' has made." },
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "The same key, in its own header; `X-HandsAI-Token` is read too.",
        },
      },
    },
  };
}

function pathsOf(operations: readonly Operation[], show: (operation: Operation) => Json): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const method = operation.method.toLowerCase();
    paths[operation.path] = { ...paths[operation.path], [method]: show(operation) };
  }
  return paths;
}

function operationOf(operation: Operation, responses: Json, schemas: NamedSchemas): Json {
  const { operationId, tag, summary, needs, description = "", query, headers, body } = operation;
  const parameters = [
    ...pathParameters(operation),
    ...(query ? parametersIn("query", query, schemas) : []),
    ...(headers ? parametersIn("header", headers, schemas) : []),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${description} For: ${RIGHTS[needs]}`.trim(),
    "x-needs": needs,
    ...(needs === "nobody" && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBody(body, schemas) }),
    responses,
  };
}

function pathParameters({ path, names = {} }: Operation): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    ...(names[name] !== undefined && { description: names[name] }),
    schema: { type: "string" },
  }));
}

function parametersIn(place: "query" | "header", given: QuerySchema, schemas: NamedSchemas): Json[] {
  const { properties = {}, required = [] } = schemas.input(given) as QueryJsonSchema;
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

interface QueryJsonSchema {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

function requestBody(body: BodySchema, schemas: NamedSchemas): Json {
  return { required: true, content: { "application/json": { schema: schemas.input(body) } } };
}

function responsesOf({ answers }: Operation, schemas: NamedSchemas): Json {
  const promised = Object.entries(answers).map(([status, answer]) => [status, responseOf(answer, schemas)]);
  return { ...Object.fromEntries(promised), default: { $ref: "#/components/responses/Problem" } };
}

function responseOf({ description, schema, headers = {} }: AnswerDescription, schemas: NamedSchemas): Json {
  const shown = Object.entries(headers).map(([name, text]) => [name, { description: text, schema: TEXT }]);
  return {
    description,
    ...(shown.length > 0 && { headers: Object.fromEntries(shown) }),
    ...(schema && { content: { "application/json": { schema: schemas.output(schema) } } }),
  };
}

const TEXT = { type: "string" };

function refuseDoubles(ids: readonly string[]): void {
  const double = ids.find((id, index) => ids.indexOf(id) !== index);
  if (double !== undefined) throw new TypeError(`two operations are called ${double}`);
}

/** Zod schemas as JSON Schema inside one OpenAPI document, where those that have a name stand once. */
export class NamedSchemas {
  readonly #byName = new Map<string, Json>();

  /** What we answer. */
  output(schema: z.ZodType): Json {
    return this.#place(schema, "output", "");
  }

  /** What we are sent, where what has a default may be left out. */
  input(schema: z.ZodType): Json {
    return this.#fits(schema, "input", "") ? this.#place(schema, "input", "") : this.#place(schema, "input", "Input");
  }

  all(): Record<string, Json> {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #place(schema: z.ZodType, io: "input" | "output", suffix: string): Json {
    const { root, named } = converted(schema, io, suffix);
    if (!this.#areFree(named)) throw new TypeError(`two schemas are called ${[...named.keys()].join(" or ")}`);
    for (const [name, definition] of named) this.#byName.set(name, definition);
    return root;
  }

  #fits(schema: z.ZodType, io: "input" | "output", suffix: string): boolean {
    return this.#areFree(converted(schema, io, suffix).named);
  }

  #areFree(named: ReadonlyMap<string, Json>): boolean {
    return [...named].every(([name, definition]) => {
      const known = this.#byName.get(name);
      return known === undefined || JSON.stringify(known) === JSON.stringify(definition);
    });
  }
}

function converted(schema: z.ZodType, io: "input" | "output", suffix: string) {
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { ...OPTIONS, io });
  const named = Object.entries($defs).map(([name, definition]) => [
    `${name}${suffix}`,
    moved(definition, suffix),
  ]) as readonly (readonly [string, Json])[];
  return { root: moved(root, suffix), named: new Map(named) };
}

const OPTIONS: z.core.ToJSONSchemaParams = {
  target: "draft-2020-12",
  unrepresentable: "any",
  override: ({ jsonSchema }) => {
    // That a whole number fits into a double goes without saying.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  },
};

const OLD_PLACE = "#/$defs/";
const NEW_PLACE = "#/components/schemas/";

/** A copy whose references point to where OpenAPI keeps its schemas. */
function moved<T>(value: T, suffix: string): T {
  if (Array.isArray(value)) return value.map((item) => moved(item, suffix)) as T;
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, inner]) => [
    key,
    key === "$ref" && typeof inner === "string" && inner.startsWith(OLD_PLACE)
      ? `${NEW_PLACE}${inner.slice(OLD_PLACE.length)}${suffix}`
      : moved(inner, suffix),
  ]);
  return Object.fromEntries(members);
}
