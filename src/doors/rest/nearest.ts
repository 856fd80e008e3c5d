/** The known key that somebody probably meant. */

const LONGEST = 64;

/** Within a third of the longer word, but always one slip: anything further would be a guess. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > LONGEST) return undefined;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const slips = slipsBetween(word.toLowerCase(), candidate.toLowerCase());
    if (slips >= least || slips > Math.max(1, Math.max(word.length, candidate.length) / 3)) continue;
    best = candidate;
    least = slips;
  }
  return best;
}

/** Letters to add, drop or replace that turn one word into the other. */
function slipsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const above = row;
    row = [index + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (to[column - 1] === letter ? 0 : 1);
      row.push(Math.min(replaced, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1));
    }
  }
  return row[to.length] ?? 0;
}
