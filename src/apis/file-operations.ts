/** The tools of a REST API that somebody wrote down in the configuration, as operations. */
import type { WrittenParameterConfig, WrittenToolConfig } from "../config/types.ts";
import { argumentName, UniqueNames } from "../openapi/wording.ts";
import type { ApiBody, ApiBodyMember, ApiOperation, ApiParameter } from "../sources/api/operation.ts";

/** What is written, with the name that a model uses for it. */
interface Argument extends WrittenParameterConfig {
  readonly argument: string;
}

const JSON_TYPE = "application/json";
const PLACE = /\{\{\s*([^{}\s]+)\s*\}\}/g;

export function operationsOfTools(tools: readonly WrittenToolConfig[]): ApiOperation[] {
  return tools.map(operationOf);
}

function operationOf(tool: WrittenToolConfig): ApiOperation {
  const { name, description, method, path } = tool;
  const args = argumentsOf(tool.parameters);
  const body = bodyOf(tool, args);
  return {
    name,
    description,
    method,
    path,
    parameters: args.flatMap(parameterOf),
    ...(body && { body }),
    inputSchema: schemaOf(args),
  };
}

/** `$filter` is called so on the wire, and `filter` by those whom a dollar would put off. */
function argumentsOf(parameters: readonly WrittenParameterConfig[]): Argument[] {
  const names = new UniqueNames();
  return parameters.map((parameter) => ({ ...parameter, argument: names.take(argumentName(parameter.name)) }));
}

function parameterOf(parameter: Argument): ApiParameter[] {
  const { argument, name, in: place, type, required, default: otherwise } = parameter;
  if (place === "body") return [];
  return [
    {
      argument,
      name,
      in: place,
      required,
      style: place === "query" ? "form" : "simple",
      explode: place === "query",
      ...(otherwise !== undefined && { default: otherwise }),
      // An object has no form of its own outside of a body that everybody would expect.
      ...(type === "object" && { contentType: JSON_TYPE }),
    },
  ];
}

function bodyOf({ bodyTemplate }: WrittenToolConfig, args: readonly Argument[]): ApiBody | undefined {
  const usual = { contentType: JSON_TYPE, kind: "json" } as const;
  if (bodyTemplate !== undefined) {
    const template = bodyTemplate.replace(PLACE, (whole: string, name: string) => placeFor(args, name) ?? whole);
    return { ...usual, required: true, members: args.map(memberOf), template };
  }
  const inBody = args.filter((each) => each.in === "body");
  if (inBody.length === 0) return undefined;
  return { ...usual, required: inBody.some(({ required }) => required), members: inBody.map(memberOf) };
}

/** Templates are written with names, and filled with arguments. */
function placeFor(args: readonly Argument[], name: string): string | undefined {
  const found = args.find((each) => each.name === name);
  return found && `{{${found.argument}}}`;
}

function memberOf({ argument, name, default: otherwise }: Argument): ApiBodyMember {
  return { argument, name, ...(otherwise !== undefined && { default: otherwise }) };
}

/** What has a default need not be given. */
function schemaOf(args: readonly Argument[]): ApiOperation["inputSchema"] {
  const needed = args.filter((each) => each.required && each.default === undefined);
  return {
    type: "object",
    properties: Object.fromEntries(args.map((each) => [each.argument, propertyOf(each)])),
    ...(needed.length > 0 && { required: needed.map(({ argument }) => argument) }),
    additionalProperties: false,
  };
}

function propertyOf({ type, description, default: otherwise }: Argument): object {
  return {
    type,
    // Some clients refuse a list that says nothing of its items.
    ...(type === "array" && { items: {} }),
    ...(description !== undefined && { description }),
    ...(otherwise !== undefined && { default: otherwise }),
  };
}
