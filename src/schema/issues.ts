/**
 * Says in plain words what is wrong with a value. Texts of the caller and of the schema are cut after fifty characters,
 * stand on one line and lose their control characters.
 */
import type { ErrorObject } from "ajv/dist/2020.js";
import type { ArgumentIssue } from "../core/ports.ts";
import { type Language, type MessageKey, type MessageParams, say, sayType } from "../messages/catalogue.ts";
import { DISTINCT } from "./keywords.ts";

const MAX_ISSUES = 10;
const MAX_CHOICES = 20;

/** Keywords that sum up what other errors, before them in the list, say better. */
const SUMMARIES: ReadonlySet<string> = new Set(["anyOf", "oneOf", "if", "propertyNames"]);

/** `errors` as the compiled schema left them: the outermost comes last. */
export function issuesOf(errors: readonly ErrorObject[], value: unknown, language: Language): ArgumentIssue[] {
  const speaker: Speaker = { value, language };
  const causes = errors.filter((error) => error.keyword !== "if" || errors.length === 1);
  const last = causes.at(-1);
  if (!last) return [];
  if (last.keyword === "anyOf" || last.keyword === "oneOf") return alternatives(causes, last, speaker);
  return describe(last, speaker);
}

/** Whose value it is, and in which language its owner is told. */
interface Speaker {
  readonly value: unknown;
  readonly language: Language;
}

/** None of several alternatives fits: the reasons of those that came close are worth more than the bare fact. */
function alternatives(causes: readonly ErrorObject[], last: ErrorObject, speaker: Speaker): ArgumentIssue[] {
  const { value, language } = speaker;
  const path = pathIn(value, last.instancePath);
  const { passingSchemas } = last.params as { passingSchemas?: unknown };
  if (passingSchemas) return [{ path, rule: say(language, "rule.onlyOneForm") }];
  const inner = causes.filter((error) => !SUMMARIES.has(error.keyword));
  const isWrongType = (error: ErrorObject) => error.keyword === "type" && error.instancePath === last.instancePath;
  const close = inner.filter((error) => !isWrongType(error));
  if (close.length === 0) return [{ path, rule: typeRule(inner, language) }];
  if (close.length === 1) return describe(close[0] as ErrorObject, speaker);
  const choices = commonChoices(close);
  const place = pathIn(value, (close[0] as ErrorObject).instancePath);
  if (choices) return [{ path: place, rule: say(language, "rule.oneOf", choiceParams(choices)) }];
  const reasons = close.slice(0, MAX_ISSUES - 1).flatMap((error) => describe(error, speaker));
  return [{ path, rule: say(language, "rule.oneForm") }, ...reasons].slice(0, MAX_ISSUES);
}

function typeRule(errors: readonly ErrorObject[], language: Language): string {
  const types = [...new Set(errors.flatMap((error) => error.schema as string | string[]))];
  return types.length > 0 ? sayType(language, types) : say(language, "rule.oneForm");
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

function describe(error: ErrorObject, speaker: Speaker): ArgumentIssue[] {
  if (error.keyword === "required") return missing(error, speaker, error.schema as string[]);
  if (error.keyword === "dependentRequired") {
    return missing(error, speaker, [(error.params as { missingProperty: string }).missingProperty]);
  }
  return [{ path: pathIn(speaker.value, error.instancePath), rule: ruleOf(error, speaker.language) }];
}

function missing(error: ErrorObject, { value, language }: Speaker, names: readonly string[]): ArgumentIssue[] {
  const absent = names.filter((name) => !Object.hasOwn(error.data as object, name)).slice(0, MAX_ISSUES);
  const rule = say(language, "rule.missing");
  return absent.map((name) => ({ path: pathIn(value, error.instancePath, name), rule }));
}

function ruleOf(error: ErrorObject, language: Language): string {
  if (error.keyword === "type") return sayType(language, [error.schema].flat() as string[]);
  const row = RULES.get(error.keyword);
  return row ? say(language, row[0], row[1](error.schema, error.params)) : say(language, "rule.invalid");
}

type Fill = (schema: unknown, params: Readonly<Record<string, unknown>>) => MessageParams;

const limit: Fill = (schema) => ({ limit: Number(schema) });
const value: Fill = (schema) => ({ value: shown(schema) });
const limitIn =
  (name: string): Fill =>
  (_, params) => ({ limit: Number(params[name]) });
const memberIn =
  (name: string): Fill =>
  (_, params) => ({ value: shown(params[name]) });
const nothing: Fill = () => ({});

const RULES: ReadonlyMap<string, readonly [MessageKey, Fill]> = new Map<string, readonly [MessageKey, Fill]>([
  ["enum", ["rule.oneOf", (schema) => choiceParams(schema as unknown[])]],
  ["const", ["rule.const", value]],
  ["minimum", ["rule.minimum", limit]],
  ["maximum", ["rule.maximum", limit]],
  ["exclusiveMinimum", ["rule.above", limit]],
  ["exclusiveMaximum", ["rule.below", limit]],
  ["multipleOf", ["rule.multiple", limit]],
  ["minLength", ["rule.minLength", limit]],
  ["maxLength", ["rule.maxLength", limit]],
  ["pattern", ["rule.pattern", value]],
  ["minItems", ["rule.minItems", limit]],
  ["maxItems", ["rule.maxItems", limit]],
  ["items", ["rule.maxItems", limitIn("limit")]],
  ["unevaluatedItems", ["rule.maxItems", limitIn("len")]],
  ["minProperties", ["rule.minMembers", limit]],
  ["maxProperties", ["rule.maxMembers", limit]],
  ["additionalProperties", ["rule.member", memberIn("additionalProperty")]],
  ["unevaluatedProperties", ["rule.member", memberIn("unevaluatedProperty")]],
  ["propertyNames", ["rule.member", memberIn("propertyName")]],
  ["contains", ["rule.contains", nothing]],
  ["not", ["rule.not", nothing]],
  ["false schema", ["rule.never", nothing]],
  [DISTINCT, ["rule.distinct", nothing]],
]);

function choiceParams(choices: readonly unknown[]): MessageParams {
  const more = choices.length > MAX_CHOICES ? ", …" : "";
  return { choices: choices.slice(0, MAX_CHOICES).map(shown).join(", ") + more };
}

const MAX_SHOWN = 50;
const MAX_STEPS_SHOWN = 16;

/** A value; text stands without quotes. */
export function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
  return cut.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "�");
}

/** The dotted path that a JSON pointer means in this value: `lights[0].name`; `member` is a further step. */
export function pathIn(value: unknown, pointer: string, member?: string): string {
  const steps = pointer.split("/").slice(1);
  let path = "";
  let place = value;
  for (const step of steps.slice(0, MAX_STEPS_SHOWN)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    path += Array.isArray(place) ? `[${name}]` : memberStep(path, name);
    place = (place as Readonly<Record<string, unknown>> | undefined)?.[name];
  }
  if (steps.length > MAX_STEPS_SHOWN) return `${path}…`;
  return member === undefined ? path : path + memberStep(path, member);
}

function memberStep(path: string, name: string): string {
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name)) return `["${shown(name)}"]`;
  return path === "" ? shown(name) : `.${shown(name)}`;
}
