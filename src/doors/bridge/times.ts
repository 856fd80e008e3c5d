/** Times as seed 003 writes them: whole seconds in UTC. */

const SECOND_MS = 1_000;

let shown = { second: Number.NaN, text: "" };

/** Nearly always it is the same second as before. */
export function shownUtc(ms: number): string {
  const second = Math.floor(ms / SECOND_MS);
  if (second !== shown.second) shown = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return shown.text;
}

/** The end of the second, so that what is shown of it is the whole truth. */
export function wholeSecond(ms: number): number {
  return Math.ceil(ms / SECOND_MS) * SECOND_MS;
}
