/** Changes to the text of a JSON object that leave every other character as it was. Pure. */
import { type Member, memberOf, scanJson } from "./scan.ts";

/** The text was proved within somebody's limits when it was read. */
const NO_LIMITS = { depth: Number.POSITIVE_INFINITY, elements: Number.POSITIVE_INFINITY };
const PASSED_ON = { refuseDuplicates: false };
const SHORT = 1024;
/** Of what is escaped without need: characters that could stand for themselves. */
const ESCAPED_LETTER = /\\u00[2-7]/;
const EMPTY = /^\{\s*\}$/;

/** The members of an object; none if it is anything else. */
export function membersOf(object: string): readonly Member[] {
  const scan = scanJson(object, NO_LIMITS, PASSED_ON);
  return scan.ok && scan.kind === "object" ? scan.members : [];
}

/** The object with this member, in the place of the one of that name if there is one, else before all others. */
export function withMember(object: string, key: string, value: string): string {
  return withMemberAt(object, memberOf(membersOf(object), key), key, value);
}

/** The same for whom knows already where the one of that name is. */
export function withMemberAt(object: string, member: Member | undefined, key: string, value: string): string {
  if (member) return `${object.slice(0, member.start)}${value}${object.slice(member.end)}`;
  return withMembers(object, `${JSON.stringify(key)}:${value}`);
}

/** The object with these members, already text, before its own. */
export function withMembers(object: string, members: string): string {
  return EMPTY.test(object) ? `{${members}}` : `{${members},${object.slice(1)}`;
}

/** The object without these members; what stays keeps its spelling, but not the white space between members. */
export function withoutMembers(object: string, isDropped: (key: string) => boolean): string {
  const members = membersOf(object);
  return members.some(({ key }) => isDropped(key)) ? withOnly(object, members, isDropped) : object;
}

/** An object of those members, found in `text`, that are not dropped. */
export function withOnly(text: string, members: readonly Member[], isDropped: (key: string) => boolean): string {
  const kept = members.filter(({ key }) => !isDropped(key));
  return `{${kept.map(({ key, start, end }) => `${JSON.stringify(key)}:${text.slice(start, end)}`).join(",")}}`;
}

/**
 * Whether a word of ASCII letters may stand in a text as a whole string, for whom a scan of every text would be too dear:
 * it does so plainly, or letters of it may be behind escapes.
 */
export function mayHold(text: string, word: string): boolean {
  return mayHoldPlainly(text, word) || hasEscapedLetters(text);
}

/** In a long text with its quotes, which the engine finds sooner than letters; in a short one there are more quotes. */
export function mayHoldPlainly(text: string, word: string): boolean {
  return text.includes(text.length < SHORT ? word : `"${word}"`);
}

/** Most texts hold no backslash at all, and that is seen at once. */
export function hasEscapedLetters(text: string): boolean {
  return text.includes("\\") && ESCAPED_LETTER.test(text);
}
