/** What can go wrong in a command, and the one line and exit code that each becomes. Stack traces only if asked for. */
import { hash } from "node:crypto";
import { ConfigError } from "../config/config-error.ts";
import { ZaguanError } from "../errors.ts";
import { type Language, type MessageKey, type MessageParams, say, sayError } from "../messages/catalogue.ts";
import type { World } from "./command.ts";
import { plainLine } from "./terminal.ts";

export const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** How many stack frames, from the innermost on, make up the reference of a bug. */
const PLACES_OF_MISTAKE = 4;

/** The command was given wrongly; the text says how and what to do. */
export class UsageError extends Error {
  readonly key: MessageKey;
  readonly params: MessageParams;
  /** The command it belongs to, if it got that far. */
  readonly command: string | undefined;

  constructor(key: MessageKey, params: MessageParams = {}, command?: string) {
    super(say("en", key, params));
    this.name = "UsageError";
    this.key = key;
    this.params = params;
    this.command = command;
  }
}

/** An expected failure: no hub is running, there is no such light. */
export class CommandFailure extends Error {
  readonly key: MessageKey;
  readonly params: MessageParams;

  constructor(key: MessageKey, params: MessageParams = {}, cause?: unknown) {
    super(say("en", key, params), { cause });
    this.name = "CommandFailure";
    this.key = key;
    this.params = params;
  }
}

/** Tells it on stderr, and returns the exit code. */
export function report(cause: unknown, language: Language, world: World): number {
  const { line, code } = explain(cause, language);
  world.stderr.write(`${plainLine(line)}\n`);
  if (world.env["ZAGUAN_DEBUG"] === "1" && cause instanceof Error) world.stderr.write(`${withCauses(cause)}\n`);
  return code;
}

function explain(cause: unknown, language: Language): { line: string; code: number } {
  if (cause instanceof UsageError) {
    const who = cause.command === undefined ? "zaguan" : `zaguan ${cause.command}`;
    return { line: `${who}: ${say(language, cause.key, cause.params)}`, code: EXIT_USAGE };
  }
  return { line: `zaguan: ${expected(cause, language) ?? unexpected(cause, language)}`, code: EXIT_FAILED };
}

function expected(cause: unknown, language: Language): string | undefined {
  if (cause instanceof CommandFailure) return say(language, cause.key, cause.params);
  if (cause instanceof ConfigError) return cause.message;
  if (!(cause instanceof ZaguanError) || cause.code === "INTERNAL") return undefined;
  return sayError(language, cause);
}

/** The same bug has the same reference everywhere, so that reports of it can be matched. */
function unexpected(cause: unknown, language: Language): string {
  const [name, trace] = cause instanceof Error ? [cause.name, cause.stack ?? ""] : [typeof cause, ""];
  const places = [...trace.matchAll(/[^\\/\s(]+:\d+:\d+/g)].slice(0, PLACES_OF_MISTAKE).join(" ");
  return say(language, "cli.unexpected", { reference: hash("sha256", `${name} ${places}`, "hex").slice(0, 8) });
}

function withCauses(error: Error): string {
  const inner = error.cause instanceof Error ? `\ncaused by ${withCauses(error.cause)}` : "";
  return `${error.stack ?? error.message}${inner}`;
}
