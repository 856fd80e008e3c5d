/**
 * What is wrong with a configuration, said in one line to the person who wrote it: where, and what was expected. Never repeats
 * a value, which may be a secret.
 */
import { basename } from "node:path";
import type { z } from "zod";
import { kindsOf, refusalsIn, unknownKeys } from "../contract/issues.ts";

/** One thing that is wrong; `path` is where, "" for the whole file. */
export interface Problem {
  readonly path: string;
  readonly text: string;
  /** Set where the key itself is wrong, not its value. */
  readonly ofKey?: true;
}

export class ConfigError extends Error {
  constructor(message: string, cause?: unknown) {
    super(oneLine(message), cause === undefined ? undefined : { cause });
    this.name = "ConfigError";
  }
}

const SHOWN_PROBLEMS = 3;

/** Throws if there are problems: the first ones in full, the rest as a number. */
export function refuse(fileName: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((problem) => sentence(problem));
  const rest = problems.length - shown.length;
  throw new ConfigError(`${basename(fileName)}: ${shown.join("; ")}${rest > 0 ? ` (and ${rest} more)` : ""}`);
}

/** `mcpServers.fs.args[0]`; a key that is no plain word stands in quotes: `mcpServers["a.b"]`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((before, step) => before + formatStep(step, before === ""), "");
}

/** A key as text for a message, shortened if somebody wrote a novel. */
export function quoteKey(key: string): string {
  return JSON.stringify(key.length > 64 ? `${key.slice(0, 64)}…` : key);
}

function sentence(problem: Problem): string {
  return problem.path === "" ? problem.text : `${problem.path}: ${problem.text}`;
}

function formatStep(step: PropertyKey, first: boolean): string {
  if (typeof step === "number") return `[${step}]`;
  const key = String(step);
  if (/^[\w$-]{1,64}$/.test(key)) return first ? key : `.${key}`;
  return `[${quoteKey(key)}]`;
}

function oneLine(message: string): string {
  return message.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

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
