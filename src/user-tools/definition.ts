/** A tool of one's own as MCP describes it, in the very form of seed 002: `required` is what has no default. */
import type { ToolDefinition } from "../core/call.ts";
import type { Language } from "../messages/catalogue.ts";
import type { AnyUserTool, Properties, Property } from "./tool.ts";

export function definitionOf(tool: AnyUserTool, language?: Language): ToolDefinition {
  const { name, description, descriptions, readOnly } = tool;
  return {
    name,
    description: (language && descriptions?.[language]) ?? description,
    inputSchema: inputSchemaOf(tool.properties ?? {}),
    ...(readOnly ? { annotations: { readOnlyHint: true } } : {}),
  };
}

function inputSchemaOf(properties: Properties): Readonly<Record<string, unknown>> {
  const entries = Object.entries(properties);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, property]) => [name, schemaOf(property)])),
    required: entries.filter(([, property]) => property.default === undefined).map(([name]) => name),
  };
}

function schemaOf(property: Property): Readonly<Record<string, unknown>> {
  const { type, default: value, description } = property;
  const [minimum, maximum] = type === "integer" ? [property.minimum, property.maximum] : [];
  const choices = type === "string" ? property.enum : undefined;
  const all = { type, default: value, minimum, maximum, description, enum: choices };
  return Object.fromEntries(Object.entries(all).filter(([, each]) => each !== undefined));
}
