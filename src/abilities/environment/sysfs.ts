/** Files under /sys, each a word or a number; one that is missing or cannot be read just now says nothing. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Nobody has more; a folder of something else might. */
const MOST_ENTRIES = 500;

export async function entriesOf(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort().slice(0, MOST_ENTRIES);
  } catch {
    return [];
  }
}

export async function wordIn(folder: string, name: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, name), "utf8")).trim().slice(0, 100) || undefined;
  } catch {
    return undefined;
  }
}

/** Cheap sensors miss every other question: those are asked again. */
export async function numberIn(folder: string, name: string, tries = 1): Promise<number | undefined> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const word = await wordIn(folder, name);
    const value = word === undefined ? Number.NaN : Number(word);
    if (Number.isFinite(value)) return value;
  }
  return undefined;
}
