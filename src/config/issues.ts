/** Turns what zod found into sentences for people: where, and what was expected. Values are never repeated. */
import { z } from "zod";
import { nearest } from "../contract/rules.ts";
import { formatPath, type Problem, quoteKey } from "./config-error.ts";

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

const EXPECTED: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** An object that refuses keys it does not know, and guesses which one was meant. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? unknownKeys(issue["keys"], known) : undefined),
  });
}

/** Everything wrong with `value`, in sentences. */
export function problemsOf(error: z.ZodError): readonly Problem[] {
  return error.issues.flatMap((issue) => problems(issue, []));
}

/** To be given to zod's parse, for issues whose schema has no words of its own. */
export function explain(issue: RawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return wrongType(String(issue["expected"]), issue.input);
    case "too_small":
      return issue["origin"] === "string" ? "must not be empty" : `must be at least ${issue["minimum"]}`;
    case "too_big":
      return `must be at most ${issue["maximum"]}${issue["origin"] === "string" ? " characters long" : ""}`;
    case "invalid_value":
      return `expected one of ${(issue["values"] as unknown[]).map((value) => JSON.stringify(value)).join(", ")}`;
    default:
      return "is not valid";
  }
}

function problems(issue: Issue, above: readonly PropertyKey[]): Problem[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") return unknownKeyProblems(path, issue);
  if (issue.code === "invalid_key") {
    return [{ path: formatPath(path), text: issue.issues[0]?.message ?? issue.message, ofKey: true }];
  }
  const branch = issue.code === "invalid_union" ? issue.errors.find(saysMoreThanType) : undefined;
  if (branch) return branch.flatMap((inner) => problems(inner, path));
  return [{ path: formatPath(path), text: issue.message }];
}

function unknownKeyProblems(path: readonly PropertyKey[], issue: z.core.$ZodIssueUnrecognizedKeys): Problem[] {
  const lines = issue.message.split("\n");
  return issue.keys.map((key, index) => ({
    path: pathOfUnknown(path, key),
    text: lines[index] ?? "unknown key",
    ofKey: true,
  }));
}

/** The branch of a union that had the right type, and failed inside. */
function saysMoreThanType(branch: readonly Issue[]): boolean {
  return branch.some((issue) => issue.code !== "invalid_type" || issue.path.length > 0);
}

/** At the top the key is named by the sentence alone. */
function pathOfUnknown(path: readonly PropertyKey[], key: string): string {
  return path.length === 0 ? "" : formatPath([...path, key]);
}

/** One line per key, in their order: only here is it known which keys there are. */
function unknownKeys(keys: readonly string[], known: readonly string[]): string {
  return keys.map((key) => unknownKey(key, known)).join("\n");
}

function unknownKey(key: string, known: readonly string[]): string {
  const guess = nearest(key, known);
  return `unknown key ${quoteKey(key)}${guess === undefined ? "" : ` (did you mean ${quoteKey(guess)}?)`}`;
}

export function wrongType(expected: string, input: unknown): string {
  return `expected ${EXPECTED[expected] ?? expected}, found ${typeName(input)}`;
}

function typeName(input: unknown): string {
  if (input === undefined) return "nothing";
  if (input === null) return "null";
  if (Array.isArray(input)) return "a list";
  if (typeof input === "number" && !Number.isInteger(input)) return "a fraction";
  return EXPECTED[typeof input] ?? typeof input;
}
