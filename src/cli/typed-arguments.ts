/**
 * `--arg on=true` as the tool's inputSchema means it: a boolean where the schema says boolean, a text where it says
 * string. Types are all it looks at; whether the arguments fit is checked by the hub.
 */
import { isObject } from "../contract/rules.ts";
import { UsageError } from "./failures.ts";

type Schema = Readonly<Record<string, unknown>>;

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  null: (text) => (text === "null" ? null : undefined),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  integer: (text) => (/^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined),
  number: (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined),
  array: (text) => parsedIf(text, Array.isArray),
  object: (text) => parsedIf(text, isObject),
  string: (text) => text,
};
/** A schema that refers to itself is followed no further. */
const DEPTH_MAX = 8;

/** Where the pairs come from, for what is said of wrong ones. */
interface Asked {
  readonly command: string;
  readonly option: string;
}

const OF_CALL: Asked = { command: "call", option: "--arg" };

/** `pairs` are `k=v`; a tool that does not describe an argument gets it as text. */
export function typedArguments(
  pairs: readonly string[],
  inputSchema: unknown,
  asked: Asked = OF_CALL,
): Record<string, unknown> {
  const root = asSchema(inputSchema);
  const entries = pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) throw new UsageError("cli.usage.pair", { option: asked.option, form: "K=V" }, asked.command);
    const name = pair.slice(0, at);
    return [name, typed(name, pair.slice(at + 1), typesOf(propertyOf(root, name), root), asked)] as const;
  });
  return Object.fromEntries(entries);
}

function typed(name: string, text: string, types: ReadonlySet<string>, { command, option }: Asked): unknown {
  if (types.size === 0) return text;
  for (const [type, read] of Object.entries(READERS)) {
    const value = types.has(type) ? read(text) : undefined;
    if (value !== undefined) return value;
  }
  throw new UsageError("cli.call.wrongType", { option, name, types: [...types].join(" | ") }, command);
}

function propertyOf(root: Schema, name: string): Schema {
  const properties = asSchema(root["properties"]);
  return Object.hasOwn(properties, name) ? asSchema(properties[name]) : {};
}

/** The types a schema allows, as far as it says so; none if it does not. */
function typesOf(schema: Schema, root: Schema, depth = 0): ReadonlySet<string> {
  if (depth > DEPTH_MAX) return new Set();
  const said = [schema["type"]].flat().filter((type) => typeof type === "string");
  if (said.length > 0) return new Set(said);
  const fixed = [schema["enum"], "const" in schema ? [schema["const"]] : []].flat();
  const alternatives = [schema["anyOf"], schema["oneOf"], schema["allOf"], referred(schema["$ref"], root)].flat();
  return new Set([
    ...fixed.filter((value) => value !== undefined).map(typeOfValue),
    ...alternatives.flatMap((one) => [...typesOf(asSchema(one), root, depth + 1)]),
  ]);
}

/** `#/$defs/Name`, the only kind of reference that tools use. */
function referred(reference: unknown, root: Schema): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  const steps = reference.slice(2).split("/");
  return steps.reduce<unknown>((place, step) => asSchema(place)[step], root);
}

function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function asSchema(value: unknown): Schema {
  return typeof value === "object" && value !== null ? (value as Schema) : {};
}

function parsedIf(text: string, fits: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
