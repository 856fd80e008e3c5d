/** Holds a request against its schema, and words what is wrong in the caller's language. Values are never repeated. */
import type { z } from "zod";
import { kindsOf, refusalsIn, unknownKeys } from "../../contract/issues.ts";
import { ZaguanError } from "../../errors.ts";
import { type Language, type MessageKey, say, sayType } from "../../messages/catalogue.ts";
import type { FieldProblem } from "./problem.ts";

type RawIssue = z.core.$ZodRawIssue;

interface Words {
  readonly language: Language;
  /** How many may still be made. */
  guesses: number;
}

/** A body of a million wrong elements is answered by the first few. */
const MOST_TOLD = 20;
/** Guessing which key was meant is the most expensive part, so it is bounded. */
const MOST_GUESSES = 100;
const LONGEST_FIELD = 100;

/** The value as the schema makes it; else a failure that names every field that does not fit. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  language: Language,
): z.output<Schema> {
  const words: Words = { language, guesses: MOST_GUESSES };
  const result = schema.safeParse(value, { error: (issue) => ruleOf(issue, words) });
  if (result.success) return result.data;
  throw invalidFields(firstProblems(result.error.issues), language);
}

function firstProblems(issues: readonly z.core.$ZodIssue[]): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const { path, text } of refusalsIn(issues)) {
    if (problems.push({ field: fieldOf(path), message: text }) === MOST_TOLD) break;
  }
  return problems;
}

/** Also for what a handler finds out itself; the sentence names the first field. */
export function invalidFields(problems: readonly FieldProblem[], language: Language): ZaguanError {
  const { field = "", message = "" } = problems[0] ?? {};
  const reason =
    field === ""
      ? say(language, "rule.body", { rule: message })
      : say(language, "argument.wrong", { path: field, rule: message });
  return new ZaguanError("INVALID_PARAMS", { params: { reason }, data: { errors: problems.slice(0, MOST_TOLD) } });
}

/** `bindings[0].toolId` */
function fieldOf(path: readonly PropertyKey[]): string {
  const steps = path.map((step, index) =>
    typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${String(step)}`,
  );
  return steps.join("").slice(0, LONGEST_FIELD);
}

function ruleOf(issue: RawIssue, words: Words): string {
  const { language } = words;
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return say(language, "rule.missing");
      return sayType(language, [TYPES[issue.expected] ?? issue.expected]);
    case "too_small":
      return say(language, boundRule(issue.origin, "min", issue.inclusive), { limit: String(issue.minimum) });
    case "too_big":
      return say(language, boundRule(issue.origin, "max", issue.inclusive), { limit: String(issue.maximum) });
    case "not_multiple_of":
      return say(language, "rule.multiple", { limit: issue.divisor });
    case "invalid_value":
      return say(language, "rule.oneOf", { choices: issue.values.map(String).join(", ") });
    case "invalid_format":
      return formatRule(issue, language);
    case "unrecognized_keys":
      return unknownKeys(issue, (_, near) => unknownRule(near, language), words);
    case "invalid_union":
      return unionRule(issue, language);
    case "custom":
      return customRule(issue.params, language);
    default:
      return say(language, "rule.invalid");
  }
}

/** What zod calls a type that JSON Schema, and so the catalogue, calls otherwise. */
const TYPES: Readonly<Record<string, string>> = { int: "integer", record: "object", nan: "number" };

function boundRule(origin: string, end: "min" | "max", inclusive = true): MessageKey {
  if (origin === "string") return `rule.${end}Length`;
  if (origin === "array" || origin === "set") return `rule.${end}Items`;
  if (origin === "object" || origin === "map") return `rule.${end}Members`;
  if (end === "min") return inclusive ? "rule.minimum" : "rule.above";
  return inclusive ? "rule.maximum" : "rule.below";
}

function formatRule({ format, pattern }: { format: string; pattern?: string }, language: Language): string {
  if (format === "url") return say(language, "rule.url");
  if (format === "regex") return say(language, "rule.pattern", { value: String(pattern) });
  return say(language, "rule.format", { format });
}

/** `refine(…, { params: { say: "rule.never" } })`: a rule of the schema's own, worded by the catalogue. */
function customRule(params: Readonly<Record<string, unknown>> | undefined, language: Language): string {
  return say(language, (params?.["say"] as MessageKey | undefined) ?? "rule.invalid");
}

function unknownRule(near: string | undefined, language: Language): string {
  return near === undefined ? say(language, "rule.unknown") : say(language, "rule.unknownNear", { near });
}

function unionRule(issue: RawIssue, language: Language): string {
  const choice = kindsOf(issue);
  if (!choice) return say(language, "rule.oneForm");
  if (choice.said === undefined) return say(language, "rule.missing");
  return say(language, "rule.oneOf", { choices: choice.kinds.join(", ") });
}
