/** Finds the song that people mean: by its title, its artist, both in any order, or its file's name. Pure. */
import type { Track } from "./library.ts";

/** The better the first fits; undefined if none does. */
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
