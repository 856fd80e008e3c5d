/**
 * Checking what a client sends, with the words of the checker that Home Assistant uses: clients see them, and show them
 * to people. Values are quoted as Python writes them.
 */
import { isEntityId } from "./states.ts";

export type Data = Readonly<Record<string, unknown>>;

export interface Fault {
  readonly message: string;
  readonly path: readonly string[];
}

/** Says what is wrong with a value; nothing when it is right. */
export type Check = (value: unknown, path: readonly string[]) => readonly Fault[];
export type Schema = Readonly<Record<string, Check | { readonly required: Check }>>;

/** In the order of the data, and what is missing at the end. */
export function faultsOf(schema: Schema, data: Data, path: readonly string[] = []): readonly Fault[] {
  const wrong = Object.entries(data).flatMap(([name, value]) => {
    const field = Object.hasOwn(schema, name) ? schema[name] : undefined;
    if (!field) return [{ message: "extra keys not allowed", path: [...path, name] }];
    return (typeof field === "function" ? field : field.required)(value, [...path, name]);
  });
  const missing = Object.entries(schema).filter(([name, field]) => typeof field !== "function" && !(name in data));
  return [...wrong, ...missing.map(([name]) => ({ message: "required key not provided", path: [...path, name] }))];
}

function checked(words: string, right: (value: unknown) => boolean): Check {
  return (value, path) => (right(value) ? [] : [{ message: `${words} for dictionary value`, path }]);
}

export const isObject = (value: unknown): value is Data =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isWholeText = (value: unknown) => typeof value === "string" && /^\s*-?\d+\s*$/.test(value);
const idsIn = (value: unknown): unknown[] =>
  typeof value === "string" ? value.split(",").map((id) => id.trim()) : Array.isArray(value) ? value : [value];
const isId = (value: unknown) => typeof value === "string" && isEntityId(value.toLowerCase());

export const anything: Check = () => [];
export const text: Check = checked("expected str", (value) => typeof value === "string");
export const flag: Check = checked("expected bool", (value) => typeof value === "boolean");
export const object: Check = checked("expected dict", isObject);
export const wholeNumber: Check = checked("expected int", (value) => typeof value === "number" || isWholeText(value));
export const texts: Check = checked("expected a list", (value) => Array.isArray(value));
export const oneOf = (...values: string[]): Check =>
  checked(`value must be one of ${repr([...values].sort())}`, (value) => values.includes(String(value)));

export const entityIds: Check = (value, path) => {
  const bad = idsIn(value).find((id) => !isId(id));
  if (bad === undefined) return [];
  return [{ message: `Entity ID ${bad} is an invalid entity ID for dictionary value`, path }];
};
/** As services take them: `all` and `none` are words of their own. */
export const entityIdsOrAll: Check = checked(
  "not a valid value",
  (value) => value === "all" || value === "none" || idsIn(value).every(isId),
);
export const within =
  (schema: Schema): Check =>
  (value, path) =>
    isObject(value) ? faultsOf(schema, value, path) : [{ message: "expected a dictionary", path }];

/** As `str(error)` has it. */
export function faultText({ message, path }: Fault): string {
  return path.length === 0 ? message : `${message} @ data${path.map((name) => `[${repr(name)}]`).join("")}`;
}

/** As the socket says it: every fault with the value that caused it. */
export function humanized(faults: readonly Fault[], data: unknown): string {
  const lines = faults.map((fault) => `${faultText(fault)}. Got ${repr(valueAt(data, fault.path)).slice(0, 500)}`);
  return lines.sort().join("\n");
}

function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), data);
}

/** As Python writes it. */
export function repr(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return value.includes("'") ? `"${value}"` : `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  if (!isObject(value)) return String(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${repr(name)}: ${repr(member)}`)
    .join(", ")}}`;
}
