/** The difference between two states as `subscribe_entities` sends it: only what changed, even within the context. */
import { isDeepStrictEqual } from "node:util";
import { seconds } from "./moments.ts";
import type { Attributes, State } from "./state.ts";

export function delta(entityId: string, before: State | undefined, after: State | undefined): object {
  if (!after) return { r: [entityId] };
  if (!before) return { a: { [entityId]: after.compressed() } };
  const removed = Object.keys(before.attributes).filter((name) => !(name in after.attributes));
  return { c: { [entityId]: { "+": added(before, after), ...(removed.length > 0 && { "-": { a: removed } }) } } };
}

function added(before: State, after: State): object {
  const attributes = changedAttributes(before.attributes, after.attributes);
  return {
    ...(before.value !== after.value && { s: after.value }),
    ...(before.changed !== after.changed ? { lc: seconds(after.changed) } : { lu: seconds(after.updated) }),
    ...changedContext(before, after),
    ...(Object.keys(attributes).length > 0 && { a: attributes }),
  };
}

/** A lone id is sent bare; an object has only the members that differ. */
function changedContext(before: State, after: State): object {
  const names = (["parent_id", "user_id", "id"] as const).filter(
    (name) => before.context[name] !== after.context[name],
  );
  if (names.length === 0) return {};
  if (names.length === 1 && names[0] === "id") return { c: after.context.id };
  return { c: Object.fromEntries(names.map((name) => [name, after.context[name]])) };
}

function changedAttributes(before: Attributes, after: Attributes): Attributes {
  const changed = ([name, value]: [string, unknown]) => !(name in before) || !isDeepStrictEqual(before[name], value);
  return Object.fromEntries(Object.entries(after).filter(changed));
}
