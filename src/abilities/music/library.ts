/** The songs in a folder and its folders, within bounds. Links are not followed: they may lead anywhere, and in circles. */
import { open, readdir } from "node:fs/promises";
import { basename, extname, join, relative } from "node:path";
import { type Tags, tagsIn } from "./tags.ts";

export interface Track {
  readonly path: string;
  /** From the music folder on. */
  readonly place: string;
  readonly title: string;
  readonly artist?: string | undefined;
}

const EXTENSIONS = new Set([".mp3", ".ogg", ".oga", ".opus", ".flac", ".wav", ".m4a", ".aac"]);
const TAGGED = new Set([".mp3", ".flac"]);
const MOST_TRACKS = 10_000;
const DEPTH = 8;
/** Texts stand before pictures in nearly every file. */
const HEAD_BYTES = 65_536;
/** The others who use the thread pool must not wait long. */
const READS_AT_ONCE = 8;

/** Rejects if the folder itself cannot be read. */
export async function readLibrary(folder: string): Promise<readonly Track[]> {
  const files: string[] = [];
  await collect(folder, DEPTH, files);
  const tracks: Track[] = [];
  for (let start = 0; start < files.length; start += READS_AT_ONCE) {
    const some = files.slice(start, start + READS_AT_ONCE);
    tracks.push(...(await Promise.all(some.map((path) => readTrack(folder, path)))));
  }
  return tracks.sort((a, b) => a.title.localeCompare(b.title) || a.place.localeCompare(b.place));
}

/** "title - artist", as the playlist has it. */
export function songName({ title, artist }: Track): string {
  return artist === undefined ? title : `${title} - ${artist}`;
}

async function collect(folder: string, depth: number, files: string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (files.length >= MOST_TRACKS) return;
    const path = join(folder, entry.name);
    if (entry.isFile() && EXTENSIONS.has(extname(entry.name).toLowerCase())) files.push(path);
    else if (entry.isDirectory() && depth > 0) await collect(path, depth - 1, files).catch(() => {});
  }
}

async function readTrack(folder: string, path: string): Promise<Track> {
  const { title, artist } = await readTags(path);
  return { path, place: relative(folder, path), title: title ?? basename(path, extname(path)), artist };
}

async function readTags(path: string): Promise<Tags> {
  if (!TAGGED.has(extname(path).toLowerCase())) return {};
  const file = await open(path).catch(() => undefined);
  if (!file) return {};
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return tagsIn(buffer.subarray(0, bytesRead));
  } catch {
    return {};
  } finally {
    await file.close();
  }
}
