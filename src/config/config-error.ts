/** What is wrong with a configuration, said in one line to the person who wrote it. Never repeats a value: it may be a secret. */
import { basename } from "node:path";

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
