/** Which calls are wanted; it stands in the address too, so that it can be sent to somebody. */
import type { CallRow } from "../../../doors/live/views.ts";

export const STATES = ["waiting", "running", "ended"] as const;
/** Stands for every outcome but "ok". */
export const FAILED = "failed";

const PARTS = ["search", "state", "outcome", "source"] as const;
/** An empty string means any value. */
export type CallFilter = Readonly<Record<(typeof PARTS)[number], string>>;

export const NO_FILTER: CallFilter = { search: "", state: "", outcome: "", source: "" };

export function filterIn(query: URLSearchParams): CallFilter {
  const [search = "", state = "", outcome = "", source = ""] = PARTS.map((part) => query.get(part) ?? "");
  return { search, state: STATES.some((known) => known === state) ? state : "", outcome, source };
}

/** "" or "?search=…". */
export function queryOf(filter: CallFilter): string {
  const given = PARTS.flatMap((part) => (filter[part] === "" ? [] : [[part, filter[part]]]));
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

export function isSame(one: CallFilter, other: CallFilter): boolean {
  return PARTS.every((part) => one[part] === other[part]);
}

/** `textOf` is what there is to search in. Every word must be found somewhere. */
export function matcherOf(filter: CallFilter, textOf: (row: CallRow) => string): (row: CallRow) => boolean {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const { state, source, outcome } = filter;
  return (row) => {
    if (state !== "" && row.state !== state) return false;
    if (source !== "" && row.source !== source) return false;
    if (outcome !== "" && !isOutcome(row, outcome)) return false;
    if (words.length === 0) return true;
    const text = textOf(row);
    return words.every((word) => text.includes(word));
  };
}

function isOutcome({ outcome }: CallRow, wanted: string): boolean {
  return wanted === FAILED ? outcome !== null && outcome !== "ok" : outcome === wanted;
}

/** What there is to choose from; never less than before, since a menu that is open must not change under the pointer. */
export function grown(known: readonly string[], found: Iterable<string | null>): readonly string[] {
  const all = new Set(known);
  for (const one of found) if (one !== null && one !== "") all.add(one);
  return all.size === known.length ? known : [...all].sort();
}
