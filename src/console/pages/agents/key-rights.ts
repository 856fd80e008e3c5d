/** What a key may do, as people choose it, and whose it is. */
import type { Key } from "../../../contract/key.ts";
import type { PrincipalView } from "../../../doors/live/views.ts";

export const RIGHTS = ["all", "some", "admin"] as const;
export type Rights = (typeof RIGHTS)[number];

interface NewKey {
  readonly name: string;
  readonly allow?: readonly string[] | undefined;
  readonly admin?: boolean | undefined;
}

/** Patterns stand on lines of their own, or between commas or spaces: a tool's name has none of these. */
export function patternsIn(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}

export function newKey(name: string, rights: Rights, patterns: string): NewKey {
  return {
    name: name.trim(),
    ...(rights === "some" && { allow: patternsIn(patterns) }),
    ...(rights === "admin" && { admin: true }),
  };
}

/** Whether this page itself came with it: it begins as the hint says, and its holder is who we are. */
export function isOwnKey(key: Key, me: PrincipalView | undefined, current: string | null): boolean {
  if (!me || me.kind === "local" || current === null) return false;
  if (!current.startsWith(key.hint.replace(/…$/, ""))) return false;
  return me.kind === "agent" ? key.agentId !== null : key.name === me.name;
}
