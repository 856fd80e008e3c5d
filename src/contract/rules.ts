/**
 * Rules that hold wherever a value crosses a border: for files, requests, the command line and the console's page. This
 * file imports nothing and is served to browsers, so that no part of the product needs a rule of its own.
 */

/** The classes of a call, the most urgent first. */
export const PRIORITIES = ["HIGH", "MEDIUM", "LOW", "BULK"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** "installing": it starts, by a program that may have to fetch something first, and takes longer than a moment. */
export const SOURCE_STATES = ["idle", "starting", "installing", "ready", "waiting", "broken", "closed"] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

/** How much an agent may do without asking (seed 001). */
export const AUTONOMIES = ["Manual", "Supervised", "Auto"] as const;

/** A token of RFC 9110, section 5.6.2. */
export const HEADER_NAME: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that frame or end a message, or that the connection needs: nobody but the transport sets them. */
export const TRANSPORT_HEADERS: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "accept-encoding",
  "keep-alive",
  "upgrade",
  "expect",
  "te",
  "trailer",
  "proxy-authorization",
  "proxy-connection",
]);
/** The characters that HTTP can send in a header (RFC 9110, section 5.5): one line of Latin-1. */
export const HEADER_VALUE: RegExp = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
/** A credential that stands behind a word such as `Bearer` (RFC 6750): visible ASCII without blanks. */
export const TOKEN: RegExp = /^[\x21-\x7e]+$/;
/** A name that language models accept for a tool or a parameter. */
export const PLAIN_NAME: RegExp = /^[A-Za-z0-9_.-]{1,64}$/;

/** Whether an MCP server can be at this address. */
export function isServerUrl(text: string): boolean {
  return /^(?:https?|wss?):\/\//i.test(text) && URL.canParse(text);
}

/** A JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Longer words are not compared: the time grows with the product of the lengths. */
const LONGEST_WORD = 64;

/** The known word that was probably meant: within a third of the longer word's length, but always within one slip. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    const allowed = Math.max(1, Math.max(word.length, candidate.length) / 3);
    if (distance >= least || distance > allowed) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
export function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = at(last, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwap ? at(beforeLast, column - 2) + 1 : replaced;
      current.push(Math.min(at(last, column) + 1, at(current, column - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

/** Whether credentials are given by the names of security schemes: single ones have no member that is an object. */
export function areByScheme(auth: unknown): auth is Readonly<Record<string, object>> {
  if (!isObject(auth)) return false;
  const members = Object.values(auth);
  return members.length === 0 || members.some(isObject);
}
