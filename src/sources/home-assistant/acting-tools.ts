/**
 * The tools that do something. None of it is ever repeated here: whether a call that was not answered has run, nobody can
 * tell.
 */
import { randomUUID } from "node:crypto";
import { say } from "../../messages/catalogue.ts";
import type { StopSignal } from "../../stop.ts";
import { type Fields, isFields } from "./arguments.ts";
import { type House, printed, type Tool, type ToolCall } from "./house.ts";
import type { Entity, LiveStates } from "./live-states.ts";
import { known } from "./reading-tools.ts";
import { askOverHttp } from "./rest.ts";

interface ServiceCall {
  readonly domain: string;
  readonly service: string;
  readonly data?: Fields | undefined;
  readonly entity?: string | undefined;
}

interface Outcome {
  /** Those that the call changed while it ran, as they are now. */
  readonly changed: readonly Entity[];
  /** Undefined if the service has none. */
  readonly response: unknown;
}

export const callService: Tool = async (house, { args, language, signal }) => {
  const [domain, service] = [args.neededText("domain"), args.neededText("service")];
  const entity = args.text("entity_id");
  const { changed, response } = await run(house, { domain, service, data: args.object("data"), entity }, signal);
  // As Home Assistant's REST interface answers: the states alone, unless there is more to say.
  const whole = { changed_states: changed, ...(response !== undefined && { service_response: response }) };
  const json = printed(response === undefined ? changed : whole);
  return { text: say(language, "home.called", { service: `${domain}.${service}`, json }), structured: whole };
};

export const toggleAutomation: Tool = async (house, call) => {
  const enable = call.args.flag("enable", true);
  const entity = automationOf(house.states, call.args.neededText("automation_id"), call).entity_id;
  const service = enable ? "turn_on" : "turn_off";
  const { changed } = await run(house, { domain: "automation", service, entity }, call.signal);
  const structured = { entity_id: entity, action: enable ? "enabled" : "disabled", result: changed };
  const key = enable ? "home.enabled" : "home.disabled";
  return { text: say(call.language, key, { entity, json: printed(structured) }), structured };
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
  const answer = await askOverHttp(house, { method: "POST", path, body: JSON.stringify(automation) }, signal);
  const entity = withId(house.states, id)?.entity_id;
  const structured = { id, ...(entity && { entity_id: entity }), ...(isFields(answer) ? answer : {}) };
  return { text: say(language, "home.created", { alias, json: printed(structured) }), structured };
};

/** States change before the result comes; which of them by this call, their context tells. */
async function run(
  { line, services, states, watchers }: House,
  call: ServiceCall,
  signal: StopSignal,
): Promise<Outcome> {
  const { domain, service, data, entity } = call;
  const onlyResponds = await services.onlyResponds(domain, service, signal);
  const changed = new Set<string>();
  watchers.add(changed);
  try {
    const answer = await line.command(
      {
        ...{ type: "call_service", domain, service, service_data: data ?? {} },
        ...(entity && { target: { entity_id: entity } }),
        ...(onlyResponds && { return_response: true }),
      },
      signal,
    );
    const { context, response } = isFields(answer) ? answer : {};
    const ours = [...changed].flatMap((id) => states.get(id) ?? []).filter((one) => isOf(one, context));
    return { changed: ours, response: response ?? undefined };
  } finally {
    watchers.delete(changed);
  }
}

function isOf(entity: Entity, context: unknown): boolean {
  return !isFields(context) || entity.context["id"] === context["id"];
}

/** By its entity id, the last part of that, or the id it is configured under. */
function automationOf(states: LiveStates, id: string, call: ToolCall): Entity {
  const found = id.startsWith("automation.") ? undefined : (states.get(`automation.${id}`) ?? withId(states, id));
  return found ?? known(states, id, call);
}

function withId(states: LiveStates, id: string): Entity | undefined {
  return [...states.all()].find(
    ({ entity_id, attributes }) => entity_id.startsWith("automation.") && attributes["id"] === id,
  );
}
