/**
 * Says in plain English what is wrong with a value. Texts of the caller and of the schema are cut after fifty
 * characters and lose their control characters.
 */
import type { ErrorObject } from "ajv/dist/2020.js";
import type { ArgumentIssue } from "../core/ports.ts";
import { DISTINCT } from "./keywords.ts";
import { pathIn, shown } from "./shown.ts";

const MAX_ISSUES = 10;
const MAX_CHOICES = 20;

/** Keywords that sum up what other errors, before them in the list, say better. */
const SUMMARIES: ReadonlySet<string> = new Set(["anyOf", "oneOf", "if", "propertyNames"]);

/** `errors` as the compiled schema left them: the outermost comes last. */
export function issuesOf(errors: readonly ErrorObject[], value: unknown): ArgumentIssue[] {
  const causes = errors.filter((error) => error.keyword !== "if" || errors.length === 1);
  const last = causes.at(-1);
  if (!last) return [];
  if (last.keyword === "anyOf" || last.keyword === "oneOf") return alternatives(causes, last, value);
  return describe(last, value);
}

/** None of several alternatives fits: the reasons of those that came close are worth more than the bare fact. */
function alternatives(causes: readonly ErrorObject[], last: ErrorObject, value: unknown): ArgumentIssue[] {
  const path = pathIn(value, last.instancePath);
  if ((last.params as { passingSchemas?: unknown }).passingSchemas)
    return [{ path, rule: "must fit only one of the allowed forms" }];
  const inner = causes.filter((error) => !SUMMARIES.has(error.keyword));
  const isWrongType = (error: ErrorObject) => error.keyword === "type" && error.instancePath === last.instancePath;
  const close = inner.filter((error) => !isWrongType(error));
  if (close.length === 0) return [{ path, rule: `must be ${typesOf(inner)}` }];
  if (close.length === 1) return describe(close[0] as ErrorObject, value);
  const choices = commonChoices(close);
  if (choices) return [{ path: pathIn(value, (close[0] as ErrorObject).instancePath), rule: oneOf(choices) }];
  const reasons = close.slice(0, MAX_ISSUES - 1).flatMap((error) => describe(error, value));
  return [{ path, rule: "must fit one of the allowed forms" }, ...reasons].slice(0, MAX_ISSUES);
}

function typesOf(errors: readonly ErrorObject[]): string {
  const types = new Set(errors.flatMap((error) => error.schema as string | string[]));
  return types.size > 0 ? [...types].join(" or ") : "one of the allowed forms";
}

/** Where all alternatives ask for fixed values at one place: all these values. */
function commonChoices(errors: readonly ErrorObject[]): unknown[] | undefined {
  const same = errors.every(
    (error) =>
      (error.keyword === "const" || error.keyword === "enum") && error.instancePath === errors[0]?.instancePath,
  );
  return same
    ? errors.flatMap((error) => (error.keyword === "enum" ? (error.schema as unknown[]) : [error.schema]))
    : undefined;
}

function describe(error: ErrorObject, value: unknown): ArgumentIssue[] {
  const path = pathIn(value, error.instancePath);
  if (error.keyword === "required") return missing(error, value, error.schema as string[]);
  if (error.keyword === "dependentRequired") {
    return missing(error, value, [(error.params as { missingProperty: string }).missingProperty]);
  }
  return [{ path, rule: ruleOf(error) }];
}

function missing(error: ErrorObject, value: unknown, names: readonly string[]): ArgumentIssue[] {
  const absent = names.filter((name) => !Object.hasOwn(error.data as object, name)).slice(0, MAX_ISSUES);
  return absent.map((name) => ({ path: pathIn(value, error.instancePath, name), rule: "is missing" }));
}

function ruleOf(error: ErrorObject): string {
  const rule = RULES.get(error.keyword);
  return rule ? rule(error.schema, error.params) : "is not valid";
}

type Rule = (schema: unknown, params: Readonly<Record<string, unknown>>) => string;

const forbiddenMember = (name: unknown) => `must not have the member '${shown(name)}'`;

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["type", (schema) => `must be ${[schema].flat().join(" or ")}`],
  ["enum", (schema) => oneOf(schema as unknown[])],
  ["const", (schema) => `must be ${shown(schema)}`],
  ["minimum", (schema) => `must be at least ${schema}`],
  ["maximum", (schema) => `must be at most ${schema}`],
  ["exclusiveMinimum", (schema) => `must be more than ${schema}`],
  ["exclusiveMaximum", (schema) => `must be less than ${schema}`],
  ["multipleOf", (schema) => `must be a multiple of ${schema}`],
  ["minLength", (schema) => `must have at least ${count(schema, "character")}`],
  ["maxLength", (schema) => `must have at most ${count(schema, "character")}`],
  ["pattern", (schema) => `must match the pattern ${shown(schema)}`],
  ["minItems", (schema) => `must have at least ${count(schema, "item")}`],
  ["maxItems", (schema) => `must have at most ${count(schema, "item")}`],
  ["items", (_, params) => `must have at most ${count(params["limit"], "item")}`],
  ["unevaluatedItems", (_, params) => `must have at most ${count(params["len"], "item")}`],
  ["minProperties", (schema) => `must have at least ${count(schema, "member")}`],
  ["maxProperties", (schema) => `must have at most ${count(schema, "member")}`],
  ["additionalProperties", (_, params) => forbiddenMember(params["additionalProperty"])],
  ["unevaluatedProperties", (_, params) => forbiddenMember(params["unevaluatedProperty"])],
  ["propertyNames", (_, params) => forbiddenMember(params["propertyName"])],
  ["contains", () => "must have the right number of items that fit"],
  ["not", () => "must not fit the form that is ruled out"],
  ["false schema", () => "must not be given"],
  [DISTINCT, () => "must not have equal items"],
]);

function oneOf(choices: readonly unknown[]): string {
  const more = choices.length > MAX_CHOICES ? ", …" : "";
  return `must be one of: ${choices.slice(0, MAX_CHOICES).map(shown).join(", ")}${more}`;
}

function count(number: unknown, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
