/** What tells whether a file is still the one that was read: its place on the disk first, and its content if that differs. */
import { createHash } from "node:crypto";
import { type BigIntStats, readFileSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";

export interface Print {
  readonly place: string;
  readonly content: string;
}

const GONE: Print = { place: "gone", content: "gone" };

export function printOf(path: string): Print {
  try {
    return { place: placeOf(statSync(path, { bigint: true })), content: digest(readFileSync(path)) };
  } catch {
    return GONE;
  }
}

/** Saved anew with the same content is not changed. */
export async function whatBecameOf(path: string, before: Print): Promise<"same" | "changed" | "gone"> {
  try {
    if (placeOf(await stat(path, { bigint: true })) === before.place) return "same";
    return digest(await readFile(path)) === before.content ? "same" : "changed";
  } catch {
    return before === GONE ? "same" : "gone";
  }
}

function placeOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
