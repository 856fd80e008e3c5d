/**
 * What a stateless revision wants on results, written into their text: the rest stays character for character what it
 * was. Pure.
 */
import { memberOf, scanJson } from "../json/scan.ts";

const LIMITS = { depth: Number.POSITIVE_INFINITY, elements: Number.POSITIVE_INFINITY };
const EMPTY = /^\{\s*\}$/;
/** Written plainly, or hidden behind an escape. */
const MAY_HAVE_TYPE = /resultType|\\u/;
const MAY_HAVE_META = /_meta|\\u/;

/** The text of an object with these members before its own. */
export function withMembers(object: string, members: string): string {
  return EMPTY.test(object) ? `{${members}}` : `{${members},${object.slice(1)}`;
}

/**
 * A source's result, marked as complete unless it says itself what it is. `meta`, a member's text, is added where the
 * source sent no `_meta` of its own. What is no object passes as it is.
 */
export function stampResult(result: string, meta: string): string {
  if (!result.startsWith("{")) return result;
  const marks = [];
  if (!MAY_HAVE_TYPE.test(result) || !has(result, "resultType")) marks.push('"resultType":"complete"');
  if (!MAY_HAVE_META.test(result)) marks.push(meta);
  return marks.length === 0 ? result : withMembers(result, marks.join(","));
}

function has(object: string, key: string): boolean {
  const scan = scanJson(object, LIMITS, { refuseDuplicates: false });
  return scan.ok && memberOf(scan.members, key) !== undefined;
}
