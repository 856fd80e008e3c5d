/**
 * What a stateless revision wants on results, written into their text: the rest stays character for character what it
 * was. Pure.
 */
import { memberOf } from "../json/scan.ts";
import { mayHold, membersOf, withMembers } from "../json/surgery.ts";

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
  if (!result.startsWith("{") || has(result, "resultType")) return result;
  const missing = Object.entries(marks).filter(([key]) => !has(result, key));
  const members = missing.map(([key, value]) => `"${key}":${value}`);
  return withMembers(result, ['"resultType":"complete"', ...members].join(","));
}

/** Only a text in which the key may stand, plainly or behind an escape, is worth a look. */
function has(object: string, key: string): boolean {
  return mayHold(object, key) && memberOf(membersOf(object), key) !== undefined;
}
