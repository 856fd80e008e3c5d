/** Lyrics out of an `.lrc` file: lines with times, in the order of the times; or plain lines, as they stand. */
import { open } from "node:fs/promises";
import { extname } from "node:path";

const MOST_BYTES = 131_072;
const TIME = /\[(\d{1,3}):(\d{1,2})(?:[.:](\d{1,3}))?\]/g;
/** `[ar:somebody]`: what is known of the song, and no line of it. */
const ABOUT = /^\[[a-z#]+:.*\]$/i;

/** Of the file beside the song; undefined if there is none. */
export async function readLyrics(songPath: string): Promise<readonly string[] | undefined> {
  const base = songPath.slice(0, -extname(songPath).length);
  for (const extension of [".lrc", ".LRC"]) {
    const bytes = await readSome(base + extension);
    if (bytes) return lyricsIn(decode(bytes));
  }
  return undefined;
}

/** "[01:02] words". */
export function lyricsIn(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const timed = lines.flatMap(timesOf).sort((a, b) => a.seconds - b.seconds);
  if (timed.length > 0) return timed.map(({ seconds, words }) => `[${clockTime(seconds)}] ${words}`);
  return lines.filter((line) => line !== "" && !ABOUT.test(line));
}

export function clockTime(seconds: number): string {
  const whole = Math.floor(seconds);
  return [Math.floor(whole / 60), whole % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

/** A line that is sung several times has several timestamps. */
function timesOf(line: string): { seconds: number; words: string }[] {
  const words = line.replace(TIME, "").trim();
  if (words === "") return [];
  return [...line.matchAll(TIME)].map(([, minutes, seconds, fraction]) => ({
    seconds: Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction ?? 0}`),
    words,
  }));
}

/** Many Chinese ones are older than UTF-8. */
function decode(bytes: Uint8Array): string {
  try {
    // As a stream, since the end may be cut off inside a character.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("gb18030").decode(bytes);
  }
}

async function readSome(path: string): Promise<Uint8Array | undefined> {
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
