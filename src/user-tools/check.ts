/**
 * What is wrong with a tool, said where it is registered: by name, with what would be right. These are mistakes in
 * somebody's program, met while writing it, and hence thrown as such and in English.
 */
import { isObject, PLAIN_NAME } from "../contract/rules.ts";
import { isLanguage, LANGUAGES } from "../messages/catalogue.ts";
import type { AnyUserTool, Property } from "./tool.ts";

/** MCP's rule. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

const COMMON = ["type", "default", "description"];
const KEYS: Readonly<Record<Property["type"], readonly string[]>> = {
  boolean: COMMON,
  integer: [...COMMON, "minimum", "maximum"],
  string: [...COMMON, "enum"],
};
const KINDS = Object.keys(KEYS).map(quoted).join(", ");

type Raw = Readonly<Record<string, unknown>>;

export function checkTool(tool: AnyUserTool): void {
  const fault = faultOf(tool);
  if (fault === undefined) return;
  throw new TypeError(`addTool(${quoted(isObject(tool) ? tool.name : tool)}): ${fault}`);
}

function faultOf(tool: unknown): string | undefined {
  if (!isObject(tool)) return "expected an object with name, description and handler";
  const { name, description, descriptions = {}, properties = {}, readOnly = false, handler } = tool;
  if (typeof name !== "string" || !TOOL_NAME.test(name)) {
    return "the name must be 1 to 128 letters, digits or _ . - (no spaces, no accents)";
  }
  if (typeof description !== "string" || description.trim() === "") {
    return "the description is missing: it is what a model chooses the tool by";
  }
  if (typeof handler !== "function") return "the handler must be a function";
  if (typeof readOnly !== "boolean") return "readOnly must be true or false";
  if (!isObject(properties)) return "the properties must be an object, by name";
  return faultInDescriptions(descriptions) ?? firstFault(Object.entries(properties), faultInProperty);
}

function faultInDescriptions(descriptions: unknown): string | undefined {
  if (!isObject(descriptions)) return "the descriptions must be an object, by language";
  return firstFault(Object.entries(descriptions), ([language, text]) => {
    if (!isLanguage(language)) return `descriptions: ${quoted(language)} is none of ${LANGUAGES.join(", ")}`;
    return typeof text === "string" || text === undefined ? undefined : `descriptions: ${language} must be a text`;
  });
}

function faultInProperty([name, property]: readonly [string, unknown]): string | undefined {
  const fault = faultOfProperty(name, property);
  return fault && `property ${quoted(name)}: ${fault}`;
}

function faultOfProperty(name: string, property: unknown): string | undefined {
  if (!PLAIN_NAME.test(name) || name === "__proto__") return "a name has 1 to 64 letters, digits or _ . -";
  if (!isObject(property)) return `expected an object with a type: ${KINDS}`;
  const { type, description } = property;
  if (!isKind(type)) return `its type must be one of ${KINDS}`;
  if (description !== undefined && typeof description !== "string") return "its description must be a text";
  return faultInKeys(type, property) ?? FAULTS[type](property);
}

function faultInKeys(type: Property["type"], property: Raw): string | undefined {
  const unknown = Object.keys(property).find((key) => property[key] !== undefined && !KEYS[type].includes(key));
  if (unknown === undefined) return undefined;
  if (KEYS.integer.includes(unknown)) return `${unknown} is for integers only`;
  return `unknown key ${quoted(unknown)}; ${quoted(type)} has ${KEYS[type].join(", ")}`;
}

const FAULTS: Readonly<Record<Property["type"], (property: Raw) => string | undefined>> = {
  boolean: ({ default: value }) => (isOptional(value, "boolean") ? undefined : "its default must be true or false"),
  integer: ({ default: value, minimum, maximum }) =>
    firstFault(Object.entries({ default: value, minimum, maximum }), ([key, number]) =>
      number === undefined || Number.isSafeInteger(number) ? undefined : `its ${key} must be an integer`,
    ) ?? faultInRange(value as number | undefined, minimum as number | undefined, maximum as number | undefined),
  string: ({ default: value, enum: choices }) => {
    if (!isOptional(value, "string")) return "its default must be a text";
    if (choices === undefined) return undefined;
    if (!isChoice(choices)) return "its enum must be a list of different texts";
    return value === undefined || choices.includes(value) ? undefined : `default ${quoted(value)} is not in its enum`;
  },
};

function faultInRange(
  value: number | undefined,
  minimum: number | undefined,
  maximum: number | undefined,
): string | undefined {
  const [least, most] = [minimum ?? -Infinity, maximum ?? Infinity];
  if (least > most) return `minimum ${least} is above maximum ${most}`;
  if (value === undefined) return undefined;
  if (value < least) return `default ${value} is below minimum ${least}`;
  return value > most ? `default ${value} is above maximum ${most}` : undefined;
}

function isChoice(value: unknown): value is unknown[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((each) => typeof each === "string") && new Set(value).size === value.length;
}

function isOptional(value: unknown, type: "boolean" | "string"): boolean {
  return value === undefined || typeof value === type;
}

function isKind(value: unknown): value is Property["type"] {
  return typeof value === "string" && Object.hasOwn(KEYS, value);
}

function firstFault<T>(items: readonly T[], faultOfOne: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOfOne(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function quoted(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 200)) : String(value);
}
