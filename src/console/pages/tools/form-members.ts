/** Which members of an object are drawn: not a thousand at once, and those that somebody looks for. Pure. */
import type { Member, ObjectShape } from "./shape.ts";
import { isObject, type JsonObject } from "./values.ts";

/** More members than this get a search field, and are shown a part at a time. */
export const FEW_MEMBERS = 40;
const LONGEST_PATTERN = 100;

interface MembersShown {
  readonly members: readonly Member[];
  /** How many more there are that fit what is looked for. */
  readonly more: number;
}

export function membersShown(members: readonly Member[], find: string, limit: number): MembersShown {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const fit = words.length === 0 ? members : members.filter((member) => hasWords(member, words));
  return { members: fit.slice(0, limit), more: Math.max(0, fit.length - limit) };
}

function hasWords({ name, schema }: Member, words: readonly string[]): boolean {
  const said = isObject(schema)
    ? [schema["title"], schema["description"]].filter((text) => typeof text === "string")
    : [];
  const text = [name, ...said].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** What the value has beside the members that the schema names. */
export function otherMembers(
  { members }: ObjectShape,
  value: unknown,
): readonly (readonly [name: string, value: unknown])[] {
  const known = new Set(members.map(({ name }) => name));
  return isObject(value) ? Object.entries(value).filter(([name]) => !known.has(name)) : [];
}

/** What a member by another name must be. */
export function schemaOfOther({ patterns, others }: ObjectShape, name: string): unknown {
  const fitting = patterns.find(({ pattern }) => matches(pattern, name));
  return fitting ? fitting.schema : (others ?? true);
}

/** Patterns are written by whoever wrote the tool: one that could keep the page busy for a year is passed over. */
function matches(pattern: string, name: string): boolean {
  if (pattern.length > LONGEST_PATTERN || (pattern.match(/[*+{]/g) ?? []).length > 1 || /\\[1-9k]/.test(pattern))
    return false;
  try {
    return new RegExp(pattern, "u").test(name);
  } catch {
    return false;
  }
}

/** A name that is not taken yet, for a member that somebody wants to add. */
export function isFree(name: string, shape: ObjectShape, value: unknown): boolean {
  return (
    name !== "" &&
    !Object.hasOwn((value ?? {}) as JsonObject, name) &&
    !shape.members.some((member) => member.name === name)
  );
}
