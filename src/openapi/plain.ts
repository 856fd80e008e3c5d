/** Looking into values that somebody else wrote: nothing is taken from a prototype, nothing is trusted to have a type. */
import { isObject } from "../contract/rules.ts";

export type Form = Readonly<Record<string, unknown>>;

/** A member of its own; `constructor` and its like are not members. */
export function member(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function formAt(value: unknown, key: string): Form {
  const found = member(value, key);
  return isObject(found) ? found : {};
}

export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = member(value, key);
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, key: string): string | undefined {
  const found = member(value, key);
  return typeof found === "string" ? found : undefined;
}

/** What somebody wrote as a word, who may have meant a number to be one; an object cannot be asked. */
export function wordOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** Without the members that are undefined, which would be written into a file or compared as if they were there. */
export function compact<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
}
