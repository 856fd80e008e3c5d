/**
 * A described tool as an operation: GET and DELETE have their arguments in the query, the others in a body of JSON, and
 * `{parameter}` is filled where it stands. The input schema has what the seed prints and nothing else, but for a parameter
 * that stands where the stored key is sent: nobody is asked for what is kept.
 */
import type { ApiBody, ApiOperation, ApiParameter } from "../../sources/api/operation.ts";
import { type Endpoint, endpointOf } from "./endpoint-path.ts";
import { defaultOf } from "./text-values.ts";
import type { KeyPlace, ParameterDescription, ToolDescription } from "./types.ts";

/** @param key where the API's stored key is sent, if there is one and it is in no header */
export function operationOf(tool: ToolDescription, key?: KeyPlace): ApiOperation {
  const { name, code, description, httpMethod } = tool;
  const written = endpointOf(tool.endpointPath);
  const endpoint = { ...written, pairs: written.pairs.filter((pair) => key?.in !== "query" || pair.name !== key.name) };
  const asked = withoutKey(tool, written, endpoint, key);
  const parameters = [...asked, ...undescribed(asked, endpoint)];
  const placed = placedIn(endpoint, parameters);
  const taken = new Set(placed.map(({ argument }) => argument));
  const others = parameters.filter((parameter) => !taken.has(parameter.name));
  const hasBody = WITH_BODY.has(httpMethod);
  return {
    name: code,
    ...(name !== code && { title: name }),
    description,
    method: httpMethod,
    path: endpoint.path,
    parameters: hasBody ? placed : [...placed, ...others.map((each) => inQuery(each, each.name))],
    ...(hasBody && { body: bodyOf(tool, parameters, others) }),
    inputSchema: inputSchemaOf(parameters, endpoint),
    plain: true,
    jsonText: true,
  };
}

const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Those that the stored key is not sent for: by its name, or as a value in the endpoint's query, unless they have other places. */
function withoutKey(
  { parameters, httpMethod }: ToolDescription,
  written: Endpoint,
  { places, pairs }: Endpoint,
  key: KeyPlace | undefined,
): readonly ParameterDescription[] {
  if (!key || (key.in === "body" && !WITH_BODY.has(httpMethod))) return parameters;
  const replaced = written.pairs.filter((pair) => !pairs.includes(pair)).map(({ parameter }) => parameter);
  const carrying = new Set([key.name, ...replaced]);
  const placed = new Set([...places, ...pairs.map(({ parameter }) => parameter)]);
  return parameters.filter(({ name }) => !carrying.has(name) || placed.has(name));
}

/** Nobody can call it without them, so they are asked for. */
function undescribed(
  parameters: readonly ParameterDescription[],
  { places, pairs }: Endpoint,
): readonly ParameterDescription[] {
  const known = new Set(parameters.map(({ name }) => name));
  const named = new Set([...places, ...pairs.map(({ parameter }) => parameter)]);
  return [...named]
    .filter((name) => !known.has(name))
    .map((name) => ({ name, type: "STRING", description: "", required: true, defaultValue: null }));
}

function placedIn({ places, pairs }: Endpoint, parameters: readonly ParameterDescription[]): readonly ApiParameter[] {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const find = (name: string): readonly ParameterDescription[] =>
    [byName.get(name)].filter((each) => each !== undefined);
  return [
    ...places.flatMap((name) => find(name).map(inPath)),
    ...pairs.flatMap(({ name, parameter }) => find(parameter).map((each) => inQuery(each, name))),
  ];
}

function inPath(parameter: ParameterDescription): ApiParameter {
  return { ...common(parameter), name: parameter.name, in: "path", style: "simple", explode: false, required: true };
}

/** A list becomes one pair for each of its values. */
function inQuery(parameter: ParameterDescription, name: string): ApiParameter {
  const required = isNeeded(parameter);
  return { ...common(parameter), name, in: "query", style: "form", explode: true, required };
}

/** An object has no form of its own in a URL and is written as JSON. */
function common(parameter: ParameterDescription): Pick<ApiParameter, "argument" | "default" | "contentType"> {
  const isObject = parameter.type === "OBJECT";
  return { argument: parameter.name, ...defaulted(parameter), ...(isObject && { contentType: "application/json" }) };
}

/** There is always one, as the real system does it: `{}` where there is nothing to say. A template may use every argument. */
function bodyOf(
  { bodyPayloadTemplate }: ToolDescription,
  all: readonly ParameterDescription[],
  others: readonly ParameterDescription[],
): ApiBody {
  const json = { contentType: "application/json", kind: "json", required: true } as const;
  return bodyPayloadTemplate === null
    ? { ...json, members: others.map(memberOf) }
    : { ...json, members: all.map(memberOf), template: bodyPayloadTemplate };
}

function memberOf(parameter: ParameterDescription): NonNullable<ApiBody["members"]>[number] {
  return { argument: parameter.name, name: parameter.name, ...defaulted(parameter) };
}

function defaulted(parameter: ParameterDescription): { readonly default?: unknown } {
  const value = defaultOf(parameter);
  return value === undefined ? {} : { default: value };
}

function inputSchemaOf(
  parameters: readonly ParameterDescription[],
  { places }: Endpoint,
): Readonly<Record<string, unknown>> {
  const properties = parameters.map(({ name, type, description }) => [
    name,
    { type: type.toLowerCase(), ...(description !== "" && { description }) },
  ]);
  const needed = parameters.filter((each) => isNeeded(each) || (places.includes(each.name) && !hasDefault(each)));
  return { type: "object", properties: Object.fromEntries(properties), required: needed.map(({ name }) => name) };
}

function isNeeded(parameter: ParameterDescription): boolean {
  return parameter.required && !hasDefault(parameter);
}

function hasDefault(parameter: ParameterDescription): boolean {
  return defaultOf(parameter) !== undefined;
}
