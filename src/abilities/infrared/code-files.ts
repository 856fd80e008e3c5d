/**
 * Files in the folder of codes. A name never leads out of it: not by its characters, and not by a link that stands there.
 * What is written is there as a whole or not at all.
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
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
    return await textOf(handle).finally(() => handle.close());
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

/** A link that was put there meanwhile is not followed, and a pipe blocks nobody. */
function openPlainly(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
}

async function textOf(handle: FileHandle): Promise<string> {
  const { size } = await handle.stat();
  if (size > MOST_BYTES) throw new Error("File too large");
  return await handle.readFile("utf8");
}

async function writeThrough(handle: FileHandle, text: string): Promise<void> {
  await handle.writeFile(text);
  await handle.sync();
}
