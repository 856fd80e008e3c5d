/** The six tools of seed 000, in its order and with its schemas, as data in four languages. */
import type { ToolAnnotations, ToolDefinition } from "../../core/call.ts";
import { LANGUAGES, type Language, say } from "../../messages/catalogue.ts";

const BOOLEAN = { type: "boolean" } as const;
const STRINGS = { type: "array", items: { type: "string" } } as const;
const PRESENCE = object({ present: BOOLEAN, known_people: STRINGS });

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const SETS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
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
  const name = { type: "string", description: say(language, "house.parameter.name") };
  const on = { ...BOOLEAN, description: say(language, "house.parameter.on") };
  const armed = { ...BOOLEAN, description: say(language, "house.parameter.armed") };
  return [
    {
      name: "get_presence",
      description: say(language, "house.get_presence"),
      inputSchema: takes({}),
      outputSchema: PRESENCE,
      annotations: READS,
    },
    {
      name: "get_alarm_status",
      description: say(language, "house.get_alarm_status"),
      inputSchema: takes({}),
      outputSchema: object({ armed: BOOLEAN }),
      annotations: READS,
    },
    {
      name: "list_lights_on",
      description: say(language, "house.list_lights_on"),
      inputSchema: takes({}),
      outputSchema: object({ on: STRINGS }),
      annotations: READS,
    },
    {
      name: "set_light_state",
      description: say(language, "house.set_light_state"),
      inputSchema: takes({ name, on }),
      outputSchema: object({ ok: BOOLEAN, error: { type: "string" } }),
      annotations: SETS,
    },
    {
      name: "set_alarm_state",
      description: say(language, "house.set_alarm_state"),
      inputSchema: takes({ armed }),
      outputSchema: object({ ok: BOOLEAN }),
      annotations: SETS,
    },
    {
      name: "get_all_states",
      description: say(language, "house.get_all_states"),
      inputSchema: takes({}),
      outputSchema: object({
        lights: { type: "object", additionalProperties: BOOLEAN },
        alarm: BOOLEAN,
        presence: PRESENCE,
      }),
      annotations: READS,
    },
  ];
}

/** An input schema; in this house every parameter is required. */
function takes(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...object(properties), required: Object.keys(properties) };
}

function object(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { type: "object", properties };
}
