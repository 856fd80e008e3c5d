/**
 * A tool of a REST API that somebody writes down in `zaguan.json`: its request with the places of its parameters, and
 * whether its path, its parameters, its template and its method agree.
 */
import { z } from "zod";
import type { Of } from "../contract/fields.ts";
import { HEADER_NAME, isObject, PLAIN_NAME } from "../contract/rules.ts";
import { wrongType } from "./config-error.ts";
import type { WrittenParameterConfig } from "./types.ts";

const parameter = z.strictObject({
  name: z
    .string()
    .refine((name) => /^[^\s{}\p{Cc}]{1,64}$/u.test(name), { error: "is 1 to 64 characters without spaces and braces" })
    .describe("What the parameter is called in the request."),
  type: z
    .enum(["string", "number", "integer", "boolean", "object", "array"])
    .optional()
    .describe('What its values are; a "string" unless given.'),
  description: z.string().max(4000).optional().describe("What it means, for the model."),
  required: z.boolean().default(false).describe("Whether every call must give it; in the path it is always needed."),
  default: z.unknown().optional().describe("Its value in calls that do not give it."),
  in: z
    .enum(["path", "query", "header", "body"])
    .optional()
    .describe("Where it goes; found out from the path, the template and the method unless given."),
});

const tool = z.strictObject({
  name: z
    .string()
    .regex(PLAIN_NAME, { error: 'is 1 to 64 letters without accents, digits, "_", "." or "-"' })
    .describe("The tool's name."),
  description: z.string().min(1).max(8000).describe("What the tool does, for the model."),
  method: z
    .enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
    .default("GET")
    .describe("The method of its request."),
  path: z
    .string()
    .refine((path) => /^\/[^\s#\\\p{Cc}]*$/u.test(path), {
      abort: true,
      error: 'expected a path that begins with "/", without spaces and "#"',
    })
    .refine((path) => !path.split(/[/?]/).some(isDots), { error: 'may not have "." or ".." between slashes' })
    .describe("Behind the base URL, with places such as {city} for parameters."),
  parameters: z.array(parameter).default([]).describe("What a call may give."),
  bodyTemplate: z
    .string()
    .min(1)
    .optional()
    .describe("The body of its request: JSON with places such as {{city}} for parameters."),
});

/** A parameter as written. */
export type ParameterEntry = Of<typeof parameter>;
/** A tool as written, checked and with its defaults. */
export type ToolEntry = Of<typeof tool>;

export const toolSchema = tool.check((payload) => {
  // A misspelt key is told alone, not together with the lack of the right one.
  if (payload.issues.length > 0) return;
  for (const { path, message } of contradictionsIn(payload.value)) {
    payload.issues.push({ code: "custom", input: payload.value, path: [...path], message });
  }
});

function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}

interface Contradiction {
  /** Inside the tool. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

type Place = WrittenParameterConfig["in"];
type Rule = (tool: ToolEntry) => readonly Contradiction[];

const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const IN_THE_QUERY: ReadonlySet<string> = new Set([...BODILESS, "DELETE"]);
/** Headers of the transport, or such as are set elsewhere: no parameter may set them. */
const NO_PARAMETERS = /^(?:accept|accept-encoding|authorization|connection|content-length|content-type|cookie|host)$/i;

const RULES: readonly Rule[] = [
  twice,
  braces,
  placesWithoutParameter,
  parametersWithoutPlace,
  bodies,
  headers,
  defaults,
];

function contradictionsIn(tool: ToolEntry): readonly Contradiction[] {
  return RULES.flatMap((rule) => rule(tool));
}

/** Where a parameter goes. */
export function placeOf({ method, path, bodyTemplate = "" }: ToolEntry, { name, in: said }: ParameterEntry): Place {
  if (said !== undefined) return said;
  if (placesInPath(path).includes(name)) return "path";
  if (placesInTemplate(bodyTemplate).includes(name)) return "body";
  return IN_THE_QUERY.has(method) ? "query" : "body";
}

/** Of `/v1/{city}`: city. A query has parameters of its own. */
function placesInPath(path: string): string[] {
  return [...withoutQuery(path).matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
}

function placesInTemplate(template: string): string[] {
  return [...template.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g)].map(([, name = ""]) => name);
}

function twice({ parameters }: ToolEntry): Contradiction[] {
  const names = parameters.map(({ name }) => name);
  const isAgain = (name: string, index: number): boolean => names.indexOf(name) < index;
  return names.flatMap((name, index) =>
    isAgain(name, index) ? [{ path: ["parameters", index, "name"], message: "names a parameter twice" }] : [],
  );
}

function braces({ path }: ToolEntry): Contradiction[] {
  const rest = withoutQuery(path).replace(/\{[^{}]+\}/g, "") + path.slice(withoutQuery(path).length);
  if (!/[{}]/.test(rest)) return [];
  return [{ path: ["path"], message: "has a brace that is no place such as {city}; in a query, use a parameter" }];
}

function placesWithoutParameter(tool: ToolEntry): Contradiction[] {
  const known = tool.parameters.map(({ name }) => name);
  const inPath = tool.parameters.filter((parameter) => placeOf(tool, parameter) === "path").map(({ name }) => name);
  const lacking = (places: readonly string[], names: readonly string[]): string[] =>
    [...new Set(places)].filter((name) => !names.includes(name));
  return [
    ...lacking(placesInPath(tool.path), inPath).map((name) => ({
      path: ["path"],
      message: `has a place {${name}} for which "parameters" has none in the path`,
    })),
    ...lacking(placesInTemplate(tool.bodyTemplate ?? ""), known).map((name) => ({
      path: ["bodyTemplate"],
      message: `has a place {{${name}}} for which there is no parameter`,
    })),
  ];
}

function parametersWithoutPlace(tool: ToolEntry): Contradiction[] {
  const { path, bodyTemplate } = tool;
  return tool.parameters.flatMap((parameter): Contradiction[] => {
    const { name } = parameter;
    const place = placeOf(tool, parameter);
    if (place === "path" && !placesInPath(path).includes(name)) {
      return [{ path: ["path"], message: `has no place {${name}} for the parameter of that name` }];
    }
    const isLeftOut = place === "body" && bodyTemplate !== undefined && !placesInTemplate(bodyTemplate).includes(name);
    return isLeftOut
      ? [{ path: ["bodyTemplate"], message: `has no place {{${name}}} for the parameter of that name` }]
      : [];
  });
}

function bodies(tool: ToolEntry): Contradiction[] {
  const { method, parameters, bodyTemplate } = tool;
  const message = `a request with ${method} has no body`;
  const isWithout = BODILESS.has(method);
  return [
    ...parameters.flatMap((parameter, index) =>
      isWithout && parameter.in === "body" ? [{ path: ["parameters", index, "in"], message }] : [],
    ),
    ...(isWithout && bodyTemplate !== undefined ? [{ path: ["bodyTemplate"], message }] : []),
    ...(bodyTemplate === undefined || isJsonOnceFilled(bodyTemplate)
      ? []
      : [{ path: ["bodyTemplate"], message: "is no JSON once its places are filled" }]),
  ];
}

/** A digit is a value by itself, and harmless inside of a text. */
function isJsonOnceFilled(template: string): boolean {
  try {
    JSON.parse(template.replace(/\{\{\s*[^{}\s]+\s*\}\}/g, "0"));
    return true;
  } catch {
    return false;
  }
}

function headers({ parameters }: ToolEntry): Contradiction[] {
  return parameters.flatMap(({ name, in: place }, index): Contradiction[] => {
    if (place !== "header") return [];
    const path = ["parameters", index, "name"];
    if (!HEADER_NAME.test(name)) return [{ path, message: "is not a possible name of a header" }];
    if (!NO_PARAMETERS.test(name)) return [];
    return [{ path, message: 'is a header that no call may set; use "auth" or "headers" of the API' }];
  });
}

function defaults({ parameters }: ToolEntry): Contradiction[] {
  return parameters.flatMap(({ type = "string", default: value }, index) =>
    value === undefined || isOf(type, value)
      ? []
      : [{ path: ["parameters", index, "default"], message: wrongType(type === "integer" ? "int" : type, value) }],
  );
}

function isOf(type: WrittenParameterConfig["type"], value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  return typeof value === type;
}

function withoutQuery(path: string): string {
  return path.split("?", 1)[0] ?? path;
}
