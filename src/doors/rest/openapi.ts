/** The OpenAPI 3.1 document of the operations that a hub has. Loaded when somebody asks for it. */
import type { AnswerDescription, BodySchema, Operation, QuerySchema } from "../../contract/operation.ts";
import { RIGHTS } from "../../contract/operation.ts";
import { Problem } from "../../contract/problem.ts";
import { type JsonSchema, NamedSchemas } from "./named-schemas.ts";

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly [member: string]: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** Without `servers`: that depends on how the reader of the document came. */
export function openApi(operations: readonly Operation[], version: string): OpenApiDocument {
  refuseDoubles(operations.map(({ operationId }) => operationId));
  const schemas = new NamedSchemas();
  const problem = { "application/problem+json": { schema: schemas.output(Problem) } };
  // What is answered takes its plain name; where a body has a form of its own, that is the one with a longer name.
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
  readonly properties?: Readonly<Record<string, JsonSchema>>;
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
