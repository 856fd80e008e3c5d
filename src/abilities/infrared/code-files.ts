/**
 * Files in the folder of codes. A name never leads out of it: not by its characters, and not by a link that stands
 * there. What is written is there as a whole or not at all. `codes_meta.json` holds what people know of the codes, by
 * name: it is written as the Python original writes it, and what we do not know in it stays as it is.
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { isObject } from "../../contract/rules.ts";
import { InfraredFailure } from "./failure.ts";

export const EXTENSION = ".hex";
/** A code has 800 bytes at most: a file of this size holds none. */
const MOST_BYTES = 1_048_576;
/** What file systems allow. */
const NAME_BYTES = 255;
const SEPARATOR_OR_CONTROL = /[/\\\p{Cc}]/u;

/** Where the code of that name is, or would be; throws if it cannot be the name of one. */
export function pathOfCode(folder: string, name: string): string {
  const file = `${name}${EXTENSION}`;
  const isPlain = name !== "" && basename(file) === file && !SEPARATOR_OR_CONTROL.test(name);
  if (!isPlain || Buffer.byteLength(file) > NAME_BYTES) throw new InfraredFailure("infrared.badName", { name });
  return resolve(folder, file);
}

/** The file that a path truly leads to; undefined if there is none, or one outside the folder that the path stands in. */
export async function fileInside(path: string): Promise<string | undefined> {
  const real = await Promise.all([realpath(dirname(path)), realpath(path)]).catch(() => undefined);
  if (!real?.[1].startsWith(`${real[0]}${sep}`)) return undefined;
  return (await stat(real[1]).catch(() => undefined))?.isFile() ? real[1] : undefined;
}

/** Undefined if there is no such file inside the folder that it should be in. */
export async function readInside(path: string): Promise<string | undefined> {
  const real = await fileInside(path);
  if (real === undefined) return undefined;
  try {
    const handle = await openPlainly(real);
    return await readText(handle).finally(() => handle.close());
  } catch (error) {
    throw fileFailure(path, error);
  }
}

/** A link of that name is replaced, not followed. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${randomBytes(8).toString("hex")}.tmp`);
  try {
    const handle = await open(temporary, "wx");
    await writeThrough(handle, text).finally(() => handle.close());
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fileFailure(path, error);
  }
}

export function fileFailure(path: string, error: unknown): InfraredFailure {
  return new InfraredFailure("infrared.fileFailed", { path }, error);
}

/** O_NOFOLLOW: a link put there meanwhile is not followed. O_NONBLOCK: a pipe without a writer does not block. */
function openPlainly(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
}

async function readText(handle: FileHandle): Promise<string> {
  const { size } = await handle.stat();
  if (size > MOST_BYTES) throw new Error("File too large");
  return await handle.readFile("utf8");
}

async function writeThrough(handle: FileHandle, text: string): Promise<void> {
  await handle.writeFile(text);
  await handle.sync();
}

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
    // No JSON: a list with commas.
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
