/**
 * Notices changes: when it is worth looking at some folders again, and whether a file is still the one that was read.
 * The watch never says what changed: editors write, rename and delete in ways of their own, and some file systems tell
 * nothing, so that a look every few seconds is needed anyway.
 */
import { createHash } from "node:crypto";
import { type BigIntStats, type FSWatcher, readFileSync, statSync, watch } from "node:fs";
import { readFile, stat } from "node:fs/promises";

const DEBOUNCE_MS = 100;
/** A file that is written to all the time must not keep us from looking. */
const PATIENCE_MS = 1_000;
const POLL_MS = 2_000;

export class FolderWatch {
  readonly #look: () => void;
  /** By folder and the place of it: one that was made anew is another. */
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #poll: NodeJS.Timeout;
  #pending: NodeJS.Timeout | undefined;
  /** When the first of the events came that wait for a look. */
  #since: number | undefined;
  #isClosed = false;

  constructor(look: () => void) {
    this.#look = look;
    this.#poll = setInterval(look, POLL_MS).unref();
  }

  /** These and no others. What cannot be watched is left to the poll. */
  follow(folders: ReadonlySet<string>): void {
    if (this.#isClosed) return;
    const wanted = new Map([...folders].map((folder) => [`${inode(folder)} ${folder}`, folder]));
    for (const [key, watcher] of this.#watchers) {
      if (wanted.has(key)) continue;
      watcher.close();
      this.#watchers.delete(key);
    }
    for (const [key, folder] of wanted) {
      const watcher = this.#watchers.has(key) ? undefined : this.#watch(folder);
      if (watcher) this.#watchers.set(key, watcher);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#pending);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(folder: string): FSWatcher | undefined {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#lookSoon());
      return watcher.on("error", () => watcher.close());
    } catch {
      return undefined;
    }
  }

  #lookSoon(): void {
    if (this.#isClosed) return;
    this.#since ??= performance.now();
    const left = this.#since + PATIENCE_MS - performance.now();
    clearTimeout(this.#pending);
    this.#pending = setTimeout(() => this.#lookNow(), Math.max(0, Math.min(DEBOUNCE_MS, left))).unref();
  }

  #lookNow(): void {
    this.#since = undefined;
    this.#look();
  }
}

function inode(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.ino;
}

/**
 * What tells whether a file is still the one that was read: its place on the disk first, and its content if that
 * differs.
 */
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
