/**
 * What a stateless revision wants on results, written into their text: the rest stays character for character what it
 * was. Pure.
 */
import { memberOf } from "../json/scan.ts";
import { mayHold, membersOf, withMember, withMembers, withoutMembers } from "../json/text-edit.ts";
import { SERVER_INFO } from "./envelope.ts";

/** Members by key, each value as its JSON text. */
export type Marks = Readonly<Record<string, string>>;

/** What must come with a hint on how long it may be kept. */
export const CACHEABLE: ReadonlySet<string> = new Set([
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

/** The hint that a kept copy is good for so long, and for this caller alone: what one may see, another may not. */
export function cacheable(ttlMs: number): Marks {
  return { ttlMs: String(ttlMs), cacheScope: '"private"' };
}

/**
 * A result, marked as complete, with these marks where it has no such member itself. One that says itself what it is comes
 * from a source that knows the revision, and passes as it is; so does what is no object.
 */
export function stampResult(result: string, marks: Marks): string {
  // Most that have it have it in front, and need not be scanned to know it.
  if (result.startsWith('{"resultType":') || !result.startsWith("{") || has(result, "resultType")) return result;
  const missing = Object.entries(marks).filter(([key]) => !has(result, key));
  const members = missing.map(([key, value]) => `"${key}":${value}`);
  return withMembers(result, ['"resultType":"complete"', ...members].join(","));
}

const MARKS: ReadonlySet<string> = new Set(["resultType", "ttlMs", "cacheScope"]);

/** A complete result without what only a stateless revision puts on it, for clients that do not know these marks. */
export function unstampResult(result: string): string {
  if (!mayHold(result, "resultType")) return result;
  const members = membersOf(result);
  const type = memberOf(members, "resultType");
  if (!type || result.slice(type.start, type.end) !== '"complete"') return result;
  const meta = memberOf(members, "_meta");
  const said = meta && result.slice(meta.start, meta.end);
  const own = said && withoutMembers(said, (key) => key === SERVER_INFO);
  const isBare = own !== said && membersOf(own ?? "").length === 0;
  const rest = withoutMembers(result, (key) => MARKS.has(key) || (isBare && key === "_meta"));
  return own === said || isBare ? rest : withMember(rest, "_meta", own ?? "");
}

/** Only a text in which the key may stand, plainly or behind an escape, is worth a look. */
function has(object: string, key: string): boolean {
  return mayHold(object, key) && memberOf(membersOf(object), key) !== undefined;
}
