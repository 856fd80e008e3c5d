/** Turns what zod found into sentences for people: where, and what was expected. Values are never repeated. */
import type { z } from "zod";
import { kindsOf, refusalsIn, unknownKeys } from "../contract/issues.ts";
import { formatPath, type Problem, quoteKey } from "./config-error.ts";

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

/** Everything wrong with a file, in sentences. At the top an unknown key is named by the sentence alone. */
export function problemsOf(error: z.ZodError): readonly Problem[] {
  return Array.from(refusalsIn(error.issues), ({ path, text, ofKey }) => ({
    path: ofKey && path.length === 1 ? "" : formatPath(path),
    text,
    ...(ofKey && { ofKey }),
  }));
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
      return oneOf(issue["values"] as unknown[]);
    case "unrecognized_keys":
      return unknownKeys(issue, unknownKey);
    case "invalid_union":
      return oneOf(kindsOf(issue)?.kinds ?? []);
    default:
      return "is not valid";
  }
}

function oneOf(choices: readonly unknown[]): string {
  return choices.length === 0
    ? "is not valid"
    : `expected one of ${choices.map((each) => JSON.stringify(each)).join(", ")}`;
}

function unknownKey(key: string, near: string | undefined): string {
  return `unknown key ${quoteKey(key)}${near === undefined ? "" : ` (did you mean ${quoteKey(near)}?)`}`;
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
