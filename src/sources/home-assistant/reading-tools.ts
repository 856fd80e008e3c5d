/** The tools that only look. All but history and services answer from the live states, without asking the house. */
import { say } from "../../messages/catalogue.ts";
import { Refusal, similar, type ToolCall } from "../shared/tool-call.ts";
import { orStopped } from "../waiters.ts";
import { type House, printed, type Tool } from "./house.ts";
import { domainOf, type Entity, friendlyName, type LiveStates } from "./live-states.ts";
import { areaOf } from "./registries.ts";
import { askOverHttp } from "./rest.ts";
import { MOST_HOURS, MOST_SHOWN, USUALLY_SHOWN } from "./tools.ts";

/** Words of seed 003 for "do not filter". */
export const EVERYTHING: ReadonlySet<string> = new Set(["", "all", "tous"]);
const MOST_LISTED = 40;

export const getEntities: Tool = async (house, call) => {
  const { args } = call;
  const offset = args.number("offset", 0, 0, Number.MAX_SAFE_INTEGER);
  const limit = args.number("limit", USUALLY_SHOWN, 1, MOST_SHOWN);
  const found = await matching(house, call);
  const entities = found.slice(offset, offset + limit).map((entity) => ({
    entity_id: entity.entity_id,
    state: entity.state,
    friendly_name: friendlyName(entity),
    last_updated: entity.last_updated,
  }));
  const list = { total: found.length, entities };
  const part = partOf(list.total, offset, entities.length);
  return {
    text: say(call.language, "home.entities", { total: list.total, json: printed(list) }),
    structured: { ...list, ...part },
    note: noteOn(house.states, list.total, part, call),
  };
};

export const getEntityState: Tool = async ({ states }, call) => {
  const entity = known(states, call.args.neededText("entity_id"), call);
  return { text: printed(entity), structured: entity };
};

export const listAutomations: Tool = async ({ states }, { language }) => {
  const all = [...states.all()].filter(({ entity_id }) => entity_id.startsWith("automation."));
  const automations = all.map((entity) => ({
    entity_id: entity.entity_id,
    state: entity.state,
    friendly_name: friendlyName(entity),
    id: entity.attributes["id"] ?? null,
    last_triggered: entity.attributes["last_triggered"] ?? null,
    mode: entity.attributes["mode"] ?? "single",
  }));
  const total = automations.length;
  return {
    text: say(language, "home.automations", { total, json: printed(automations) }),
    structured: { total, automations },
  };
};

/** The entity of that name. */
function known(states: LiveStates, entity: string, call: ToolCall): Entity {
  const found = states.find(entity);
  if (!found) throw unknownEntity(states, [entity], call);
  return found;
}

/** @param domain in which alone it is looked for */
export function unknownEntity(
  states: LiveStates,
  ids: readonly string[],
  { language }: ToolCall,
  domain?: string,
): Refusal {
  const among = [...states.all()].filter(({ entity_id }) => !domain || domainOf(entity_id) === domain);
  const namesOf = (each: Entity): string[] => [each.entity_id, friendlyName(each)];
  const alike = new Set(ids.flatMap((id) => similar(id, among, namesOf).map(({ entity_id }) => entity_id)));
  const words = ids.map((entity) => say(language, "home.unknownEntity", { entity })).join("; ");
  const names = listed([...alike]);
  return new Refusal(words, names === "" ? say(language, "home.noneAlike") : say(language, "home.nearest", { names }));
}

/** Names with commas between them, cut after so many. */
export function listed(names: readonly string[], most: number = MOST_LISTED): string {
  return names.length > most ? `${names.slice(0, most).join(", ")}, …` : names.join(", ");
}

async function matching(house: House, call: ToolCall): Promise<readonly Entity[]> {
  const { args } = call;
  const domain = args.text("domain").toLowerCase();
  const words = args.text("search").toLowerCase().split(/\s+/);
  const state = args.text("state").toLowerCase();
  const isThere = await isInArea(house, args.text("area"), call);
  const fits = (entity: Entity): boolean => {
    const names = `${entity.entity_id}\n${friendlyName(entity)}`.toLowerCase();
    return (
      (EVERYTHING.has(domain) || domainOf(entity.entity_id) === domain) &&
      (state === "" || entity.state.toLowerCase() === state) &&
      words.every((word) => names.includes(word)) &&
      isThere(entity.entity_id)
    );
  };
  return [...house.states.all()].filter(fits);
}

async function isInArea(house: House, called: string, call: ToolCall): Promise<(entity: string) => boolean> {
  if (EVERYTHING.has(called)) return () => true;
  const layout = await orStopped(house.registries.read(), call.signal);
  const { id } = areaOf(layout.areas, called, call);
  return (entity) => layout.placeOf(entity)?.id === id;
}

interface Part {
  readonly shown: number;
  readonly next_offset?: number;
}

/** Undefined of what is whole. */
function partOf(total: number, offset: number, shown: number): Part | undefined {
  if (shown === total) return undefined;
  const next = offset + shown;
  return { shown, ...(next < total && { next_offset: next }) };
}

function noteOn(states: LiveStates, total: number, part: Part | undefined, { language }: ToolCall): string | undefined {
  if (total === 0) {
    const domains = new Set([...states.all()].map(({ entity_id }) => domainOf(entity_id)));
    return say(language, "home.noEntities", { names: listed([...domains].sort()) });
  }
  if (!part) return undefined;
  const { shown, next_offset: next } = part;
  return next === undefined
    ? say(language, "home.part", { shown, total })
    : say(language, "home.nextPart", { shown, total, next });
}

/** A busy sensor has thousands in a day, and nobody reads them. */
const MOST_STATES = 500;
const HOUR_MS = 3_600_000;

/** Tells what an entity was like, the newest last. */
export const getHistory: Tool = async (house, call) => {
  const { args, language, signal } = call;
  const entity = args.neededText("entity_id");
  const hours = args.number("hours", 24, 1, MOST_HOURS);
  const answer = askOverHttp(house, { method: "GET", path: pathOf(entity, hours) }, signal).catch((cause) => {
    if (cause instanceof Refusal) known(house.states, entity, call);
    throw cause;
  });
  const all = statesIn(await answer);
  // One that nobody has ever heard of has no history either, but then that is what is wrong.
  const now = all.length === 0 ? known(house.states, entity, call).state : undefined;
  const states = all.slice(-MOST_STATES);
  const total = all.length;
  const cut = total > MOST_STATES ? `\n\n${say(language, "home.historyCut", { shown: MOST_STATES, total })}` : "";
  return {
    text: say(language, "home.history", { entity, hours, json: printed(states) }) + cut,
    structured: { entity_id: entity, hours, total, states },
    note: now === undefined ? undefined : say(language, "home.noHistory", { hours, state: now }),
  };
};

/** Home Assistant wants the beginning in the path. The end lies ahead: the house's clock may be, and it stops after a day else. */
function pathOf(entity: string, hours: number): string {
  const now = Date.now();
  const end = new Date(now + 24 * HOUR_MS).toISOString();
  const query = new URLSearchParams({ filter_entity_id: entity, end_time: end });
  const start = encodeURIComponent(new Date(now - hours * HOUR_MS).toISOString());
  return `/api/history/period/${start}?${query}&minimal_response`;
}

/** One list for each entity asked for, and none for one without a history. */
function statesIn(answer: unknown): readonly unknown[] {
  const first: unknown = Array.isArray(answer) ? answer[0] : undefined;
  return Array.isArray(first) ? first : [];
}
