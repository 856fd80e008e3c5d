/** What somebody probably meant: those whose names share the most pairs of letters with what was written. Pure. */

const MOST = 5;
const LONGEST = 100;
/** Looking at more would keep everybody waiting for one who cannot spell. */
const MOST_LOOKED_AT = 10_000;
const LEAST_ALIKE = 0.3;

/** The best first; none where nothing is like it. */
export function similar<T>(word: string, among: readonly T[], namesOf: (one: T) => readonly string[]): readonly T[] {
  const wanted = pairsOf(word.slice(0, LONGEST));
  const ranked = among.slice(0, MOST_LOOKED_AT).map((one) => ({
    one,
    alike: Math.max(...namesOf(one).map((name) => likeness(wanted, pairsOf(name.slice(0, LONGEST))))),
  }));
  const alike = ranked.filter((each) => each.alike >= LEAST_ALIKE).sort((a, b) => b.alike - a.alike);
  return alike.slice(0, MOST).map(({ one }) => one);
}

/** Dice's coefficient: from 0 for nothing in common to 1 for the same. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return (2 * shared) / Math.max(1, a.size + b.size);
}

function pairsOf(text: string): ReadonlySet<string> {
  const letters = [...text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")];
  return new Set(letters.map((letter, index) => letter + (letters[index + 1] ?? "")));
}
