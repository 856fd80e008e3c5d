/**
 * Reads `zaguan.json`: text to a checked ZaguanConfig, or one ConfigError whose message is a line for a person. Variables in
 * its strings, as `${VAR}`, `${VAR:-default}` and `${env:VAR}`, come from an environment that is handed in; `$${` stands for a
 * plain `${`.
 */
import { basename, dirname } from "node:path";
import { isObject } from "../contract/rules.ts";
import { ConfigError, formatPath, type Problem, refuse } from "./config-error.ts";
import { JsonMistake, parseJsonc } from "./jsonc.ts";
import { checkFileForm } from "./schema.ts";
import { IGNORED_SERVER_KEYS } from "./server-schema.ts";
import type { ZaguanConfig } from "./types.ts";

export function parseConfig(text: string, fileName: string, env: Environment): ZaguanConfig {
  return readForm(text, fileName, env, "refuse") as ZaguanConfig;
}

/**
 * The same check with variables left open: for whoever edits the file in another environment than the hub's. Throws
 * what `parseConfig` throws, but for variables that are not set.
 */
export function checkConfigText(text: string, fileName: string): void {
  readForm(text, fileName, {}, "leave");
}

/** JSON with comments, trailing commas and a byte order mark to a value; a mistake is told with its line and column. */
export function parseJsonText(text: string, fileName: string): unknown {
  try {
    return parseJsonc(text.replace(/^\uFEFF/, " "));
  } catch (cause) {
    if (!(cause instanceof JsonMistake)) throw cause;
    throw new ConfigError(`${basename(fileName)}: line ${cause.line}, column ${cause.column}: ${cause.message}`);
  }
}

/** Undefined only where unset variables are left open and stand in the way of a complete configuration. */
function readForm(
  text: string,
  fileName: string,
  env: Environment,
  unset: "refuse" | "leave",
): ZaguanConfig | undefined {
  const { value, problems, missing } = expandVariables(parseJsonText(text, fileName), env);
  const checked = checkFileForm(value, dirname(fileName));
  const open = new Set([...problems, ...missing].map((problem) => problem.path));
  const found = "problems" in checked ? checked.problems : [];
  const wrong = found.filter((problem) => problem.ofKey || !open.has(problem.path));
  refuse(fileName, [...wrong, ...problems, ...(unset === "refuse" ? missing : [])]);
  return "config" in checked ? checked.config : undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface Expanded {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** Variables that are not set; their strings stay as they were. */
  readonly missing: readonly Problem[];
}

type Path = readonly PropertyKey[];

/** A reference to a variable, with what stands inside its braces. */
export const REFERENCE: RegExp = /\$?\$\{([^}]*)\}/g;
const VARIABLE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
const EDITOR_VARIABLES = new Set(["workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator"]);

/** Also refuses the key `__proto__` anywhere, since it walks everything first. */
export function expandVariables(value: unknown, env: Environment): Expanded {
  const walk = new Walk(value, env);
  const expanded = walk.value(value, []);
  return { value: expanded, problems: walk.problems, missing: walk.missing };
}

class Walk {
  readonly problems: Problem[] = [];
  readonly missing: Problem[] = [];
  readonly #root: unknown;
  readonly #env: Environment;

  constructor(root: unknown, env: Environment) {
    this.#root = root;
    this.#env = env;
  }

  value(value: unknown, path: Path): unknown {
    if (typeof value === "string") return isIgnored(path) ? value : this.#string(value, path);
    if (Array.isArray(value)) return value.map((item, index) => this.value(item, [...path, index]));
    return isObject(value) ? this.#record(value, path) : value;
  }

  #record(record: Readonly<Record<string, unknown>>, path: Path): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(record)) {
      const inner = [...path, key];
      if (key === "__proto__")
        this.problems.push({ path: formatPath(inner), text: '"__proto__" is not allowed as a key' });
      else result[key] = this.value(member, inner);
    }
    return result;
  }

  #string(text: string, path: Path): string {
    if (!text.includes("${")) return text;
    return text.replace(REFERENCE, (whole: string, body: string) =>
      whole.startsWith("$$") ? whole.slice(1) : this.#reference(whole, body, path),
    );
  }

  #reference(whole: string, body: string, path: Path): string {
    const [, name, fallback] = VARIABLE.exec(body) ?? [];
    if (name === undefined) return this.#refuse(whole, path, misunderstood(body));
    const set = Object.hasOwn(this.#env, name) ? this.#env[name] : undefined;
    if (fallback !== undefined) return set || fallback;
    if (set !== undefined) return set;
    if (EDITOR_VARIABLES.has(name))
      return this.#refuse(whole, path, `${reference(name)} means something in an editor only; write the path itself`);
    if (!this.#leftToProgram(name, path)) {
      this.missing.push({ path: formatPath(path), text: `the environment variable ${name} is not set` });
    }
    return whole;
  }

  #refuse(whole: string, path: Path, text: string): string {
    this.problems.push({ path: formatPath(path), text });
    return whole;
  }

  /** Programs like mcp-remote read `${T}` in their arguments themselves, from the `env` of their own entry. */
  #leftToProgram(name: string, path: Path): boolean {
    if (path[0] !== "mcpServers" || path[2] !== "args") return false;
    const env = member(member(member(this.#root, "mcpServers"), path[1]), "env");
    return isObject(env) && Object.hasOwn(env, name);
  }
}

function misunderstood(body: string): string {
  if (body.startsWith("input:")) {
    return `${reference(body.slice(0, 64))} asks a person in VS Code, and nobody can be asked here; use ${reference("VAR")} and set that environment variable`;
  }
  const forms = ["VAR", "VAR:-default", "env:VAR"].map(reference).join(", ");
  return `${reference("…")} in a form that is not understood; write ${forms}, or "$$" before the brace for a plain one`;
}

/** Spelt out of parts, so that no reader takes it for a template. */
export function reference(body: string): string {
  return `\${${body}}`;
}

function isIgnored(path: Path): boolean {
  return path[0] === "mcpServers" && IGNORED_SERVER_KEYS.includes(String(path[2]));
}

export function member(value: unknown, key: PropertyKey | undefined): unknown {
  return isObject(value) && Object.hasOwn(value, String(key)) ? value[String(key)] : undefined;
}
