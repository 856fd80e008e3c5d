/** What a service call changed, as short as it can be said, and what it did not. Pure. */
import { type Language, say } from "../../messages/catalogue.ts";
import { type Fields, isFields } from "../shared/arguments.ts";
import type { Entity, LiveStates } from "./live-states.ts";
import { listed } from "./reading-tools.ts";
import type { Aim } from "./targets.ts";

export interface Changed {
  readonly entity_id: string;
  readonly state: string;
  /** Its state before; absent if that is the same, or if there was none. */
  readonly was?: string;
  /** Those that are different now, and have a value that can be read at a glance. */
  readonly attributes?: Fields;
}

const LONGEST = 500;
const MOST_UNCHANGED = 10;

/** @param context of the call; where the house told none, all that changed is told */
export function changesSince(
  before: ReadonlyMap<string, Entity>,
  states: LiveStates,
  context: unknown,
): readonly Changed[] {
  const isOurs = (entity: Entity): boolean => !isFields(context) || entity.context["id"] === context["id"];
  const different = [...states.all()].filter((entity) => before.get(entity.entity_id) !== entity && isOurs(entity));
  return different.map((entity) => changeOf(entity, before.get(entity.entity_id)));
}

/** Undefined where all that it was aimed at has changed, or nobody can tell what should have. */
export function unchangedNote(
  states: LiveStates,
  changed: readonly Changed[],
  { reached, missing }: Aim,
  language: Language,
): string | undefined {
  const moved = new Set(changed.map(({ entity_id }) => entity_id));
  const still = reached.filter((id) => !moved.has(id)).map((id) => `${id} (${states.get(id)?.state})`);
  const parts = [
    changed.length === 0 && say(language, "home.nothingChanged"),
    missing && say(language, "home.nobodyThere", { domains: missing }),
    still.length > 0 && say(language, "home.unchanged", { names: listed(still, MOST_UNCHANGED) }),
  ];
  return parts.filter((part) => typeof part === "string").join(" ") || undefined;
}

function changeOf({ entity_id, state, attributes }: Entity, before: Entity | undefined): Changed {
  const changed = Object.entries(attributes).filter(([name, value]) => {
    const text = JSON.stringify(value);
    const was = before && Object.hasOwn(before.attributes, name) ? before.attributes[name] : null;
    return value !== null && text.length <= LONGEST && text !== JSON.stringify(was);
  });
  return {
    entity_id,
    state,
    ...(before && before.state !== state && { was: before.state }),
    ...(changed.length > 0 && { attributes: Object.fromEntries(changed) }),
  };
}
