/** The eight tools of seed 003, in its order, its parameters to the letter, then ours: as data in four languages. */
import type { ToolAnnotations, ToolDefinition } from "../../core/call.ts";
import { LANGUAGES, type Language, type MessageKey, say } from "../../messages/catalogue.ts";

type Schema = Readonly<Record<string, unknown>>;

export const MOST_HOURS = 720;
export const MOST_SHOWN = 1_000;
export const USUALLY_SHOWN = 50;

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** A service may do anything that a house can: open a door, send a message, delete a backup. */
const ACTS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};
/** Each call makes one more and touches no other. */
const ADDS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
/** Disabling an automation also ends what it is just doing. */
const SETS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

const TOOLS = Object.fromEntries(LANGUAGES.map((language) => [language, build(language)])) as Readonly<
  Record<Language, readonly ToolDefinition[]>
>;

export function toolsIn(language: Language): readonly ToolDefinition[] {
  return TOOLS[language];
}

function build(language: Language): readonly ToolDefinition[] {
  const tool = (name: string, annotations: ToolAnnotations, properties: Schema, required?: readonly string[]) => ({
    name,
    description: say(language, `home.${name}` as MessageKey),
    inputSchema: { type: "object", properties, ...(required && { required }) },
    annotations,
  });
  const of = (type: string, key: string, more: Schema = {}): Schema => ({
    type,
    description: say(language, `home.parameter.${key}` as MessageKey),
    ...more,
  });
  const list = (key: string): Schema => of("array", key, { items: { type: "object" } });
  const entity = of("string", "entityId");
  const domain = of("string", "domain");
  const service = {
    domain: of("string", "serviceDomain"),
    service: of("string", "service"),
    entity_id: of("string", "target"),
    data: of("object", "data"),
    target: of("object", "targets"),
    area: of("string", "areaTarget"),
  };
  const shown = {
    domain,
    search: of("string", "search"),
    area: of("string", "area"),
    state: of("string", "state"),
    limit: of("integer", "limit", { minimum: 1, maximum: MOST_SHOWN, default: USUALLY_SHOWN }),
    offset: of("integer", "offset", { minimum: 0, default: 0 }),
  };
  const automation = {
    alias: of("string", "alias", { minLength: 1 }),
    description: of("string", "description"),
    trigger: list("trigger"),
    condition: list("condition"),
    action: list("action"),
  };
  const hours = of("number", "hours", { minimum: 1, maximum: MOST_HOURS, default: 24 });
  const toggled = { automation_id: of("string", "automationId"), enable: of("boolean", "enable", { default: true }) };
  return [
    tool("get_entities", READS, shown),
    tool("get_entity_state", READS, { entity_id: entity }, ["entity_id"]),
    tool("call_service", ACTS, service, ["domain", "service"]),
    tool("get_history", READS, { entity_id: entity, hours }, ["entity_id"]),
    tool("get_services", READS, { domain, service: of("string", "oneService") }),
    tool("create_automation", ADDS, automation, ["alias", "trigger", "action"]),
    tool("list_automations", READS, {}),
    tool("toggle_automation", SETS, toggled, ["automation_id"]),
  ];
}
