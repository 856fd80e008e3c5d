/** The tools that only look. All but history and services answer from the live states, without asking the house. */
import { say } from "../../messages/catalogue.ts";
import { printed, type Told, type Tool, type ToolCall } from "./house.ts";
import { type Entity, friendlyName, type LiveStates } from "./live-states.ts";
import { Refusal } from "./refusal.ts";
import type { ServiceTable } from "./services.ts";
import { MOST_SHOWN, USUALLY_SHOWN } from "./tools.ts";

/** Words of seed 003 for "do not filter". */
const EVERYTHING: ReadonlySet<string> = new Set(["", "all", "tous"]);
const MOST_CHARACTERS = 200_000;

export const getEntities: Tool = async ({ states }, { args, language }) => {
  const offset = args.number("offset", 0, 0, Number.MAX_SAFE_INTEGER);
  const limit = args.number("limit", USUALLY_SHOWN, 1, MOST_SHOWN);
  const found = matching(states, args.text("domain"), args.text("search"));
  const entities = found.slice(offset, offset + limit).map((entity) => ({
    entity_id: entity.entity_id,
    state: entity.state,
    friendly_name: friendlyName(entity),
    last_updated: entity.last_updated,
  }));
  const structured = { total: found.length, entities };
  return { text: say(language, "home.entities", { total: found.length, json: printed(structured) }), structured };
};

export const getEntityState: Tool = async ({ states }, call) => {
  const entity = known(states, call.args.neededText("entity_id"), call);
  return { text: printed(entity), structured: entity };
};

export const listAutomations: Tool = async ({ states }, { language }) => {
  const automations = matching(states, "automation", "").map((entity) => ({
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

export const getServices: Tool = async ({ services }, { args, language, signal }) => {
  const domain = args.text("domain").toLowerCase();
  const all = await services.ask(signal);
  if (EVERYTHING.has(domain)) return shown(namesOf(all), language);
  const own = Object.hasOwn(all, domain) ? all[domain] : undefined;
  if (!own) throw new Refusal(say(language, "home.unknownDomain", { domain }));
  const isShort = JSON.stringify(own).length <= MOST_CHARACTERS;
  return shown(isShort ? { [domain]: own } : namesOf({ [domain]: own }), language);
};

/** The entity of that name. */
export function known(states: LiveStates, entity: string, { language }: ToolCall): Entity {
  const found = states.get(entity);
  if (!found) throw new Refusal(say(language, "home.unknownEntity", { entity }));
  return found;
}

function matching(states: LiveStates, domain: string, search: string): readonly Entity[] {
  const wanted = domain.toLowerCase();
  const ofDomain = EVERYTHING.has(wanted) ? "" : `${wanted}.`;
  const words = search.toLowerCase();
  const fits = (entity: Entity): boolean =>
    entity.entity_id.startsWith(ofDomain) &&
    (words === "" || `${entity.entity_id}\n${friendlyName(entity)}`.toLowerCase().includes(words));
  return [...states.all()].filter(fits);
}

function namesOf(services: ServiceTable): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(services).map(([domain, own]) => [domain, Object.keys(own)]));
}

function shown(services: object, language: ToolCall["language"]): Told {
  return { text: say(language, "home.services", { json: printed(services) }), structured: { services } };
}
