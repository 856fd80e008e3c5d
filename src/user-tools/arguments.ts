/**
 * What a tool takes: the schema that MCP shows of it, and what its handler is given, which is every property, given or
 * its default, and nothing else. The hub has compared the arguments with the schema already, so that this refuses only
 * where a tool is used without it. An integer is never made of a fraction: whoever asks for 2.7 is told, where
 * py-xiaozhi would cut it to 2.
 */
import { isObject } from "../contract/rules.ts";
import type { ToolDefinition } from "../core/call.ts";
import { ZaguanError } from "../errors.ts";
import { type Language, say, sayType } from "../messages/catalogue.ts";
import type { AnyUserTool, Properties, Property } from "./tool.ts";

type Value = boolean | number | string;

export function argumentsFor(tool: AnyUserTool, given: unknown, language: Language): Readonly<Record<string, Value>> {
  if (given !== undefined && !isObject(given)) throw wrong("arguments", sayType(language, ["object"]), language);
  const properties: [string, Property][] = Object.entries(tool.properties ?? {});
  return Object.fromEntries(
    properties.map(([name, property]) => {
      const value = given && Object.hasOwn(given, name) ? given[name] : undefined;
      return [name, valueFor(name, property, value, language)];
    }),
  );
}

function valueFor(name: string, property: Property, given: unknown, language: Language): Value {
  const value = given === undefined ? property.default : given;
  if (value === undefined) throw invalid(say(language, "argument.missingOne", { names: name }));
  const broken = ruleBroken(property, value, language);
  if (broken !== undefined) throw wrong(name, broken, language);
  return value as Value;
}

function ruleBroken(property: Property, value: unknown, language: Language): string | undefined {
  if (!isOfKind(property.type, value)) return sayType(language, [property.type]);
  if (property.type === "string") {
    const { enum: choices } = property;
    if (!choices || choices.includes(value as string)) return undefined;
    return say(language, "rule.oneOf", { choices: choices.join(", ") });
  }
  if (property.type === "boolean") return undefined;
  const { minimum = -Infinity, maximum = Infinity } = property;
  if ((value as number) < minimum) return say(language, "rule.minimum", { limit: minimum });
  return (value as number) > maximum ? say(language, "rule.maximum", { limit: maximum }) : undefined;
}

function isOfKind(type: Property["type"], value: unknown): boolean {
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

function wrong(path: string, rule: string, language: Language): ZaguanError {
  return invalid(say(language, "argument.wrong", { path, rule }));
}

function invalid(reason: string): ZaguanError {
  return new ZaguanError("INVALID_ARGUMENT", { params: { reason }, delivery: "not_sent" });
}

/** A tool of one's own as MCP describes it, in the very form of seed 002: `required` is what has no default. */
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
