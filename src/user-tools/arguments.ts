/**
 * What a handler is given: every property, given or its default, and nothing else. The hub has compared the arguments with
 * the schema already, so that this refuses only where a tool is used without it. An integer is never made of a fraction:
 * whoever asks for 2.7 is told, where py-xiaozhi would cut it to 2.
 */
import { isObject } from "../contract/rules.ts";
import { ZaguanError } from "../errors.ts";
import { type Language, say, sayType } from "../messages/catalogue.ts";
import type { AnyUserTool, Property } from "./tool.ts";

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
