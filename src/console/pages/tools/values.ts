/** JSON values as forms change them: never in place, members in their order, every name possible ("__proto__" too). */
import { isObject as isJsonObject } from "../../../contract/rules.ts";
import { exactDigits } from "../../kit/exact-json.ts";

export type JsonObject = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

/** Not what stands for a number or for text. */
export function isObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && !(value instanceof Draft) && exactDigits(value) === undefined;
}

export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Undefined takes it out. A new one comes last. */
export function withMember(value: unknown, name: string, member: unknown): JsonObject {
  const before = isObject(value) ? value : {};
  if (member !== undefined) return { ...before, [name]: member };
  return Object.fromEntries(Object.entries(before).filter(([key]) => key !== name));
}

/** In its place; nothing happens where the other name is taken. */
export function withRenamed(value: JsonObject, name: string, renamed: string): JsonObject {
  if (Object.hasOwn(value, renamed)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key === name ? renamed : key, member]));
}

/** Undefined takes it out. */
export function withItem(items: readonly unknown[], index: number, item: unknown): readonly unknown[] {
  return item === undefined ? items.toSpliced(index, 1) : items.with(index, item);
}

export function moved(items: readonly unknown[], from: number, to: number): readonly unknown[] {
  if (to < 0 || to >= items.length) return items;
  return items.toSpliced(from, 1).toSpliced(to, 0, items[from]);
}

/** By what they say; the order of members does not count. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isEqual(item, other[at]));
  }
  if (!isObject(one) || !isObject(other)) return isSameDigits(one, other);
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]))
  );
}

function isSameDigits(one: unknown, other: unknown): boolean {
  const digits = exactDigits(one);
  return digits !== undefined && digits === exactDigits(other);
}

/** As it can stand in an `id` and in a list of them: without blanks, and never broken by what a server calls its members. */
export function idOf(path: Path): string {
  return path.map((step) => `/${encodeURIComponent(String(step).toWellFormed())}`).join("");
}

/** What was typed where a number or JSON is asked for, as long as it is none. It stands in the value; as JSON it is text. */
export class Draft {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}
