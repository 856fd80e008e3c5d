/**
 * The tools that do something. None of it is ever repeated here: whether a call that was not answered has run, nobody can
 * tell.
 */
import { randomUUID } from "node:crypto";
import { isObject } from "../../contract/rules.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import { type Fields, Refusal, type ToolCall } from "../shared/tool-call.ts";
import { type House, printed, type Tool } from "./house.ts";
import type { Entity, LiveStates } from "./live-states.ts";
import { listed, unknownEntity } from "./reading-tools.ts";
import { askOverHttp } from "./rest.ts";
import { onlyResponds } from "./services.ts";
import { type Aim, aimOf } from "./targets.ts";

interface Outcome {
  readonly changed: readonly Changed[];
  /** Undefined if the service has none. */
  readonly response: unknown;
}

export const callService: Tool = async (house, call) => {
  const { args, language, signal } = call;
  const domain = args.neededText("domain").toLowerCase();
  const service = withoutDomain(args.neededText("service").toLowerCase(), domain);
  const name = `${domain}.${service}`;
  const described = await house.services.find(domain, service, signal);
  const aim = await aimOf(house, call, name, described);
  const { changed, response } = await run(house, call, { name, aim, wantsResponse: onlyResponds(described) });
  // As Home Assistant's REST interface answers: the states alone, unless there is more to say.
  const whole = { changed_states: changed, ...(response !== undefined && { service_response: response }) };
  const json = printed(response === undefined ? changed : whole);
  const note = response === undefined ? unchangedNote(house.states, changed, aim, language) : undefined;
  return { text: say(language, "home.called", { service: name, json }), structured: whole, note };
};

export const toggleAutomation: Tool = async (house, call) => {
  const enable = call.args.flag("enable", true);
  const { entity_id: entity } = automationOf(house.states, call.args.neededText("automation_id"), call);
  const name = enable ? "automation.turn_on" : "automation.turn_off";
  const aim: Aim = { target: { entity_id: entity }, data: {}, reached: [entity] };
  const { changed } = await run(house, call, { name, aim, wantsResponse: false });
  const structured = { entity_id: entity, action: enable ? "enabled" : "disabled", result: changed };
  const text = say(call.language, enable ? "home.enabled" : "home.disabled", { entity, json: printed(structured) });
  return { text, structured, note: unchangedNote(house.states, changed, aim, call.language) };
};

export const createAutomation: Tool = async (house, { args, language, signal }) => {
  const alias = args.neededText("alias");
  const automation = {
    alias,
    description: args.text("description"),
    trigger: args.neededList("trigger"),
    condition: args.list("condition") ?? [],
    action: args.neededList("action"),
    mode: "single",
  };
  const id = randomUUID().replaceAll("-", "");
  const path = `/api/config/automation/config/${id}`;
  const request = { method: "POST", path, body: JSON.stringify(automation) } as const;
  const answer = await askOverHttp(house, request, signal).catch((cause) => {
    throw cause instanceof Refusal ? new Refusal(cause.message, say(language, "home.automationForm")) : cause;
  });
  const entity = withId(house.states, id)?.entity_id;
  const structured = { id, ...(entity && { entity_id: entity }), ...(isObject(answer) ? answer : {}) };
  // It is there as an entity a moment later.
  const note = entity ? undefined : say(language, "home.createdId");
  return { text: say(language, "home.created", { alias, json: printed(structured) }), structured, note };
};

interface ServiceCall {
  readonly name: string;
  readonly aim: Aim;
  readonly wantsResponse: boolean;
}

/** States change before the result comes; which of them by this call, their context tells. */
async function run(house: House, call: ToolCall, { name, aim, wantsResponse }: ServiceCall): Promise<Outcome> {
  const [domain = "", service = ""] = name.split(".");
  const before = house.states.snapshot();
  const message = {
    type: "call_service",
    domain,
    service,
    service_data: aim.data,
    ...(aim.target && { target: aim.target }),
    ...(wantsResponse && { return_response: true }),
  };
  const answer = await house.line.command(message, call.signal).catch((cause) => {
    throw cause instanceof Refusal ? new Refusal(cause.message, adviceOn(cause, house, call, message)) : cause;
  });
  const { context, response } = isObject(answer) ? answer : {};
  return { changed: changesSince(before, house.states, context), response: response ?? undefined };
}

/** What there is instead of a service that there is not; where it is told what one takes. On anything else there is none. */
function adviceOn({ code }: Refusal, { services }: House, { language }: ToolCall, asked: Fields): string | undefined {
  const [domain, service] = [String(asked["domain"]), String(asked["service"])];
  const names = services.namesOf(domain);
  if (names.length === 0) return say(language, "home.domains", { names: listed(services.domains()) });
  if (!names.includes(service)) return say(language, "home.servicesOf", { domain, names: listed(names) });
  if (code !== "invalid_format") return undefined;
  const takes = say(language, "home.serviceTakes", { domain, service });
  return asked["target"] ? takes : `${say(language, "home.aim")} ${takes}`;
}

/** Some write `light.turn_on` for it. */
function withoutDomain(service: string, domain: string): string {
  return service.startsWith(`${domain}.`) ? service.slice(domain.length + 1) : service;
}

/** By its entity id, the last part of that, or the id it is configured under. */
function automationOf(states: LiveStates, id: string, call: ToolCall): Entity {
  const found = states.find(id) ?? states.find(`automation.${id}`) ?? withId(states, id);
  if (found?.entity_id.startsWith("automation.")) return found;
  throw unknownEntity(states, [id], call, "automation");
}

function withId(states: LiveStates, id: string): Entity | undefined {
  return [...states.all()].find(
    ({ entity_id, attributes }) => entity_id.startsWith("automation.") && attributes["id"] === id,
  );
}

/** What a service call changed, as short as it can be said. */
interface Changed {
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
function changesSince(before: ReadonlyMap<string, Entity>, states: LiveStates, context: unknown): readonly Changed[] {
  const isOurs = (entity: Entity): boolean => !isObject(context) || entity.context["id"] === context["id"];
  const different = [...states.all()].filter((entity) => before.get(entity.entity_id) !== entity && isOurs(entity));
  return different.map((entity) => changeOf(entity, before.get(entity.entity_id)));
}

/** Undefined where all that it was aimed at has changed, or nobody can tell what should have. */
function unchangedNote(
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
