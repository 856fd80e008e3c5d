/**
 * Compiles closed schemas with Ajv. Each schema gets an Ajv of its own, which is forgotten with it: a shared one keeps
 * everything it has ever compiled. Ajv is loaded at the first use, and it neither checks schemas (that was done) nor
 * formats, fetches nothing and logs nothing.
 */
import { createRequire } from "node:module";
import type { Ajv2020, CodeKeywordDefinition, KeywordCxt, ValidateFunction } from "ajv/dist/2020.js";
import type { ClosedSchema } from "./closed-schema.ts";
import { DISTINCT, STEPS } from "./keywords.ts";
import type { StepBudget } from "./step-budget.ts";

type AjvModule = typeof import("ajv/dist/2020.js");

let loaded: AjvModule | undefined;

function load(): AjvModule {
  loaded ??= createRequire(import.meta.url)("ajv/dist/2020.js") as AjvModule;
  return loaded;
}

/**
 * `budget` is asked to pay for every step that the returned function takes. With `coerceTypes` it changes the value that it
 * is given.
 */
export function compile(closed: ClosedSchema, budget: StepBudget, coerceTypes: boolean = false): ValidateFunction {
  const ajv = makeAjv(closed, coerceTypes);
  ajv.addKeyword(stepsKeyword(budget));
  ajv.addKeyword(distinctKeyword(budget));
  return ajv.compile(closed.schema);
}

function makeAjv({ patterns }: ClosedSchema, coerceTypes: boolean): Ajv2020 {
  const pattern = Object.assign((source: string) => patterns.get(source) ?? never(source), { code: "" });
  return new (load().Ajv2020)({
    allErrors: false,
    coerceTypes: coerceTypes && "array",
    strict: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    addUsedSchema: false,
    logger: false,
    // Errors carry schema and value, from which better sentences can be made.
    verbose: true,
    // Inherited names such as "constructor" are no members of a value.
    ownProperties: true,
    // Copies of what is referred to could multiply the code.
    inlineRefs: false,
    // 0.3 is a multiple of 0.1.
    multipleOfPrecision: 9,
    // Optimizing takes time that grows faster than the schema, and wins nothing here.
    code: { optimize: false, regExp: pattern },
  });
}

function never(source: string): never {
  throw new Error(`a pattern that nobody prepared: ${source}`);
}

function stepsKeyword(budget: StepBudget): CodeKeywordDefinition {
  const spend = (value: unknown, weight: number) => budget.spendOn(value, weight);
  return {
    keyword: STEPS,
    schemaType: "number",
    before: "$ref",
    code(context: KeywordCxt) {
      const { _ } = load();
      const call = context.gen.scopeValue("func", { ref: spend });
      context.gen.code(_`${call}(${context.data}, ${context.schema})`);
    },
  };
}

function distinctKeyword(budget: StepBudget): CodeKeywordDefinition {
  const test = (items: readonly unknown[]) => areDistinct(items, (steps) => budget.spend(steps));
  return {
    keyword: DISTINCT,
    type: "array",
    schemaType: "boolean",
    error: { message: "must not have equal items" },
    code(context: KeywordCxt) {
      const { _ } = load();
      const call = context.gen.scopeValue("func", { ref: test });
      context.pass(_`${call}(${context.data})`);
    },
  };
}

/** Writing a value down takes longer than looking at it. */
const STEPS_PER_VALUE = 4;

/**
 * Whether all items of an array differ, in the sense of JSON: the order of an object's members does not count. `spend` is
 * told what it costs, and may throw.
 */
function areDistinct(items: readonly unknown[], spend: (steps: number) => void): boolean {
  const seen = new Set<unknown>();
  for (const item of items) seen.add(keyOf(item, spend));
  return seen.size === items.length;
}

/** Equal for equal values only: texts begin with a quote, lists and objects with a bracket, the rest stands as is. */
function keyOf(value: unknown, spend: (steps: number) => void): unknown {
  spend(STEPS_PER_VALUE);
  if (typeof value === "string") return `"${value}`;
  if (typeof value !== "object" || value === null) return value;
  return textOf(value, spend);
}

function textOf(value: unknown, spend: (steps: number) => void): string {
  spend(STEPS_PER_VALUE);
  if (typeof value === "string") spend(value.length >> 4);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item, spend)).join()}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${textOf(name, spend)}:${textOf(member, spend)}`).join()}}`;
}
