/**
 * The music library: the songs in a folder and its folders, within bounds, with title and artist from their tags, and
 * search among them. Links are not followed: they may lead anywhere, and in circles.
 */
import { open, readdir } from "node:fs/promises";
import { basename, extname, join, relative } from "node:path";

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
/** Few at a time: others need the thread pool as well. */
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

/** The song that people mean: by its title, its artist, both in any order, or its file's name; undefined if none fits. */
export function findSong(tracks: readonly Track[], wanted: string): Track | undefined {
  const query = bare(wanted);
  if (query === "") return undefined;
  const words = wanted
    .split(/[\s,，、-]+/)
    .map(bare)
    .filter((word) => word !== "");
  let best: { track: Track; score: number } | undefined;
  for (const track of tracks) {
    const score = scoreOf(track, query, words);
    if (score > (best?.score ?? 0)) best = { track, score };
  }
  return best?.track;
}

function scoreOf(track: Track, query: string, words: readonly string[]): number {
  const [title, artist, place] = [bare(track.title), bare(track.artist ?? ""), bare(track.place)];
  const rules: readonly boolean[] = [
    query === title,
    query === title + artist || query === artist + title,
    // "周杰伦的稻香": the two, and little words between them.
    artist !== "" && title !== "" && query.includes(artist) && query.includes(title),
    title.startsWith(query),
    title.includes(query),
    place.includes(query),
    words.every((word) => (title + artist + place).includes(word)),
    artist.includes(query),
    title.length > 1 && query.includes(title),
  ];
  const first = rules.indexOf(true);
  return first < 0 ? 0 : rules.length - first;
}

/** Letters and figures alone, in lower case, wide ones as narrow ones. */
function bare(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** ID3v2 of mp3 and vorbis comments of flac, from the beginning of the file; no more than that. */
interface Tags {
  readonly title?: string | undefined;
  readonly artist?: string | undefined;
}

/** ID3v2.2 has names of three letters, later versions of four. */
const FRAMES: Readonly<Record<string, keyof Tags>> = { TIT2: "title", TPE1: "artist", TT2: "title", TP1: "artist" };
const ENCODINGS = ["latin1", "utf-16", "utf-16be", "utf-8"] as const;
const COMMENTS = 4;

export function tagsIn(head: Buffer): Tags {
  try {
    if (head.toString("latin1", 0, 3) === "ID3") return id3In(head);
    return head.toString("latin1", 0, 4) === "fLaC" ? flacIn(head) : {};
  } catch (error) {
    // A tag that is cut off or broken has nothing to say.
    if (error instanceof RangeError) return {};
    throw error;
  }
}

function id3In(head: Buffer): Tags {
  const [version, flags] = [head.readUInt8(3), head.readUInt8(5)];
  const end = Math.min(head.length, 10 + sevenBits(head, 6));
  const nameLength = version === 2 ? 3 : 4;
  const headerLength = version === 2 ? 6 : 10;
  const tags: { title?: string; artist?: string } = {};
  let at = 10 + extendedHeader(head, version, flags);
  while (at + headerLength < end && head[at] !== 0) {
    const kind = FRAMES[head.toString("latin1", at, at + nameLength)];
    const size = frameSize(head, at + nameLength, version);
    const start = at + headerLength;
    if (kind && start + size <= end) tags[kind] ??= textIn(head.subarray(start, start + size));
    at = start + size;
  }
  return tags;
}

function extendedHeader(head: Buffer, version: number, flags: number): number {
  if (version === 2 || (flags & 0x40) === 0) return 0;
  return version === 4 ? sevenBits(head, 10) : 4 + head.readUInt32BE(10);
}

function frameSize(head: Buffer, at: number, version: number): number {
  if (version === 2) return head.readUIntBE(at, 3);
  return version === 4 ? sevenBits(head, at) : head.readUInt32BE(at);
}

/** Four bytes of which each holds seven bits. */
function sevenBits(head: Buffer, at: number): number {
  return [0, 1, 2, 3].reduce((sum, index) => sum * 128 + (head.readUInt8(at + index) & 0x7f), 0);
}

function textIn(frame: Buffer): string | undefined {
  const encoding = ENCODINGS[frame[0] ?? 0] ?? "latin1";
  const isBigEndian = encoding === "utf-16" && frame[1] === 0xfe && frame[2] === 0xff;
  const text = new TextDecoder(isBigEndian ? "utf-16be" : encoding).decode(frame.subarray(1));
  return text.split("\0")[0]?.trim() || undefined;
}

function flacIn(head: Buffer): Tags {
  for (let at = 4; at + 4 < head.length; ) {
    const [type, size] = [head.readUInt8(at), head.readUIntBE(at + 1, 3)];
    if ((type & 0x7f) === COMMENTS) return commentsIn(head.subarray(at + 4, at + 4 + size));
    if (type >= 0x80) break;
    at += 4 + size;
  }
  return {};
}

function commentsIn(block: Buffer): Tags {
  const tags: { title?: string; artist?: string } = {};
  let at = 4 + block.readUInt32LE(0);
  const count = block.readUInt32LE(at);
  at += 4;
  for (let index = 0; index < count && at + 4 <= block.length; index++) {
    const size = block.readUInt32LE(at);
    const [, name, value] = /^(title|artist)=(.+)$/is.exec(block.toString("utf8", at + 4, at + 4 + size)) ?? [];
    if (name && value) tags[name.toLowerCase() as keyof Tags] ??= value;
    at += 4 + size;
  }
  return tags;
}
