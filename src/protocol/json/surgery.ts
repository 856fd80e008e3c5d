/** Changes to the text of a JSON object that leave every other character as it was. Pure. */
import { type Member, memberOf, scanJson } from "./scan.ts";

/** The text was proved within somebody's limits when it was read. */
const NO_LIMITS = { depth: Number.POSITIVE_INFINITY, elements: Number.POSITIVE_INFINITY };
const EMPTY = /^\{\s*\}$/;

/** The members of an object; none if it is anything else. */
export function membersOf(object: string): readonly Member[] {
  const scan = scanJson(object, NO_LIMITS, { refuseDuplicates: false });
  return scan.ok && scan.kind === "object" ? scan.members : [];
}

/** The object with this member, in the place of the one of that name if there is one, else before all others. */
export function withMember(object: string, key: string, value: string): string {
  const member = memberOf(membersOf(object), key);
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
  if (!members.some(({ key }) => isDropped(key))) return object;
  const kept = members.filter(({ key }) => !isDropped(key));
  return `{${kept.map(({ key, start, end }) => `${JSON.stringify(key)}:${object.slice(start, end)}`).join(",")}}`;
}
