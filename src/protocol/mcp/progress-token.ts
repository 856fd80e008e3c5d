/**
 * Params pass on as they were written; only the progress token is exchanged for our own id, since tokens of different
 * callers may be equal. Pure.
 */
import { type Member, memberOf, scanJson } from "../json/scan.ts";

const LIMITS = { depth: 64, elements: Number.POSITIVE_INFINITY };

/** The params' text with `token` in the place of the caller's own; unchanged if the caller gave none. */
export function swapProgressToken(params: string, token: number): string {
  const place = progressTokenOf(params);
  return place ? `${params.slice(0, place.start)}${token}${params.slice(place.end)}` : params;
}

/** A progress notification's params with the caller's own token, as text, in the place of ours. */
export function withProgressToken(progress: string, token: string): string {
  const scan = scanJson(progress, LIMITS, { refuseDuplicates: false });
  const place = scan.ok ? memberOf(scan.members, "progressToken") : undefined;
  return place ? `${progress.slice(0, place.start)}${token}${progress.slice(place.end)}` : progress;
}

/** The text of the caller's token, if it gave one that is a string or a number. */
export function progressTokenIn(params: string): string | undefined {
  const place = progressTokenOf(params);
  return place && (place.kind === "string" || place.kind === "number")
    ? params.slice(place.start, place.end)
    : undefined;
}

function progressTokenOf(params: string): Member | undefined {
  if (!params.includes("progressToken")) return undefined;
  const scan = scanJson(params, LIMITS, { refuseDuplicates: false });
  const meta = scan.ok ? memberOf(scan.members, "_meta") : undefined;
  return meta && memberOf(meta.members, "progressToken");
}
