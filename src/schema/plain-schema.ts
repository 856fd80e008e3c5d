/**
 * Most tools ask for a few texts, numbers and switches. Such schemas are checked here in a few lines, without loading a
 * schema compiler of ten megabytes. Whatever is not plain in every word is left to the compiler.
 */
import { isObject } from "../contract/rules.ts";
import type { ArgumentIssue } from "../core/ports.ts";
import { type Language, say, sayType } from "../messages/catalogue.ts";
import { type Member, memberOf } from "../protocol/json/scan.ts";
import { pathIn, shown } from "./issues.ts";

type Schema = Readonly<Record<string, unknown>>;
type Primitive = "string" | "number" | "integer" | "boolean";

export interface PlainSchema {
  readonly members: ReadonlyMap<string, Primitive | undefined>;
  readonly required: readonly string[];
  readonly open: boolean;
}

/** Words that say something to people and nothing about the value. */
const REMARKS = ["description", "title", "default", "examples", "$schema", "$comment"];
const OUTER = new Set([...REMARKS, "type", "properties", "required", "additionalProperties"]);
const INNER = new Set([...REMARKS, "type"]);
/** A schema with more members than this is no plain one, and has limits of its own. */
const MAX_MEMBERS = 100;
const PRIMITIVES: readonly unknown[] = ["string", "number", "integer", "boolean"];

/** Undefined if there is a single word in it that we do not check here. */
export function asPlain(schema: Schema): PlainSchema | undefined {
  const { type, properties = {}, required = [], additionalProperties = true } = schema;
  if (type !== "object" || !isObject(properties) || !isNames(required) || !onlyHas(schema, OUTER)) return undefined;
  if (typeof additionalProperties !== "boolean") return undefined;
  if (Object.keys(properties).length > MAX_MEMBERS) return undefined;
  const members = new Map<string, Primitive | undefined>();
  for (const [name, inner] of Object.entries(properties)) {
    if (!isObject(inner) || !onlyHas(inner, INNER)) return undefined;
    const kind = inner["type"];
    if (kind !== undefined && !PRIMITIVES.includes(kind)) return undefined;
    members.set(name, kind as Primitive | undefined);
  }
  return { members, required, open: additionalProperties };
}

/** Where only texts are asked for, and texts were given, the values need not be looked at, nor parsed. */
export function isPlainlyFit(plain: PlainSchema, shape: readonly Member[]): boolean {
  for (const name of plain.required) if (memberOf(shape, name)?.kind !== "string") return false;
  for (const { key, kind } of shape) {
    const wanted = plain.members.get(key);
    if (wanted === undefined ? !plain.open && !plain.members.has(key) : wanted !== "string" || kind !== "string") {
      return false;
    }
  }
  return true;
}

/** The first thing that is wrong, as the compiler would find it. */
export function plainIssues(plain: PlainSchema, value: unknown, language: Language): ArgumentIssue[] {
  if (!isObject(value)) return [{ path: "", rule: sayType(language, ["object"]) }];
  const missing = plain.required.filter((name) => !Object.hasOwn(value, name));
  if (missing.length > 0) {
    return missing.slice(0, 10).map((name) => ({ path: pathIn(value, "", name), rule: say(language, "rule.missing") }));
  }
  for (const name of Object.keys(value)) {
    const issue = memberIssue(plain, name, value[name], language);
    if (issue) return [{ path: issue.isOuter ? "" : pathIn(value, "", name), rule: issue.rule }];
  }
  return [];
}

/** Whether nothing is wrong that the compiler's coercion would not mend. */
export function isPlainlyCoercible(plain: PlainSchema, value: unknown): boolean {
  if (!isObject(value) || plain.required.some((name) => !Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, member]) => {
    const kind = plain.members.get(name);
    if (kind === undefined) return plain.open || plain.members.has(name);
    const only = Array.isArray(member) && member.length === 1 ? member[0] : member;
    return fits(kind, only) || COERCIBLE[kind](only);
  });
}

const COERCIBLE: Readonly<Record<Primitive, (value: unknown) => boolean>> = {
  string: (value) => value === null || typeof value === "number" || typeof value === "boolean",
  number: isNumberLike,
  integer: (value) => isNumberLike(value) && Number(value) % 1 === 0,
  boolean: (value) => [null, 0, 1, "true", "false"].includes(value as null),
};

function isNumberLike(value: unknown): boolean {
  if (typeof value === "string") return value !== "" && Number.isFinite(Number(value));
  return value === null || typeof value === "boolean";
}

function memberIssue(plain: PlainSchema, name: string, value: unknown, language: Language) {
  if (!plain.members.has(name)) {
    return plain.open ? undefined : { isOuter: true, rule: say(language, "rule.member", { value: shown(name) }) };
  }
  const kind = plain.members.get(name);
  return kind === undefined || fits(kind, value) ? undefined : { isOuter: false, rule: sayType(language, [kind]) };
}

function fits(kind: Primitive, value: unknown): boolean {
  if (kind === "integer") return typeof value === "number" && Number.isFinite(value) && value % 1 === 0;
  return kind === "number" ? typeof value === "number" && Number.isFinite(value) : typeof value === kind;
}

function onlyHas(schema: Schema, words: ReadonlySet<string>): boolean {
  return Object.keys(schema).every((word) => words.has(word));
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
