/** Times as people read them in tables: UTC, to the minute or to the millisecond. */

export function minute(utc: string | null | undefined): string {
  return utc ? `${utc.slice(0, 16).replace("T", " ")}Z` : "–";
}

/** So many milliseconds after another time. */
export function moment(utc: string, afterMs: number): string {
  const at = Date.parse(utc) + afterMs;
  return Number.isNaN(at) ? "–" : new Date(at).toISOString().replace("T", " ");
}
