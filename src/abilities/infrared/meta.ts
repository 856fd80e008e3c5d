/**
 * `codes_meta.json`: what people know of the codes, by name. Written as the Python original writes it; what we do not
 * know in it stays as it is. Pure.
 */
import { isObject } from "../../contract/rules.ts";

export interface CodeInfo {
  readonly description: string;
  readonly aliases: readonly string[];
  readonly category: string;
  readonly device: string;
}

/** What is to be changed; what is absent stays. */
export type CodeChange = { readonly [Key in keyof CodeInfo]?: CodeInfo[Key] | undefined };

/** By name, as they were written. A map, since a code may be called `__proto__`. */
export type Meta = ReadonlyMap<string, unknown>;

export const NO_META: Meta = new Map();

/** Throws if the text is no JSON object. */
export function parseMeta(text: string): Meta {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error("not a JSON object");
  return new Map(Object.entries(value));
}

export function formatMeta(meta: Meta): string {
  return JSON.stringify(Object.fromEntries(meta), null, 2);
}

export function infoOf(meta: Meta, name: string): CodeInfo {
  const entry = entryOf(meta, name);
  return {
    description: textOf(entry["description"]),
    aliases: [entry["aliases"], entry["labels"]].map(aliasesOf).find((aliases) => aliases.length > 0) ?? [],
    category: textOf(entry["category"]),
    device: textOf(entry["device"]),
  };
}

/** The whole with one entry changed, and that entry. */
export function withChange(meta: Meta, name: string, change: CodeChange): [Meta, Readonly<Record<string, unknown>>] {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const entry = { ...entryOf(meta, name), ...Object.fromEntries(given) };
  return [new Map(meta).set(name, entry), entry];
}

/** As a caller writes them: a comma list, or a JSON array as text. */
export function parseAliases(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return aliasesOf(value);
  } catch {
    // Then it is a list in plain words.
  }
  return aliasesOf(text);
}

function aliasesOf(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : textOf(value).split(",");
  return list.map((alias) => String(alias).trim()).filter((alias) => alias !== "");
}

function entryOf(meta: Meta, name: string): Readonly<Record<string, unknown>> {
  const entry = meta.get(name);
  return isObject(entry) ? entry : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
