/** What an automation may look like, when it is written over REST. Newer versions say `triggers`, `actions` and take both. */
import { anything, type Data, type Fault, faultsOf, faultText, isObject, type Schema, text } from "./voluptuous.ts";

const COMMON = ["alias", "description"];
const OTHERS = [
  "trace",
  "initial_state",
  "hide_entity",
  "variables",
  "trigger_variables",
  "mode",
  "max",
  "max_exceeded",
];
const PARTS = ["trigger", "condition", "action"];
const REQUIRED = { trigger: "platform", action: "service" };

/** Says what is wrong with it, or nothing. */
export function malformed(body: unknown, modern: boolean): string | undefined {
  if (!isObject(body)) return "expected a dictionary";
  const config = modern ? Object.fromEntries(Object.entries(body).map(([name, value]) => [plural(name), value])) : body;
  const [fault] = [...faultsOf(schema(modern), config), ...wrongParts(config, modern)];
  return fault && faultText(fault);
}

/** Known keys come in a fixed order, the rest as written. */
export function ordered(id: string, body: Data): Data {
  const known = [...COMMON, ...PARTS.flatMap((part) => [`${part}s`, part])].filter((name) => name in body);
  return { id, ...Object.fromEntries(known.map((name) => [name, body[name]])), ...body };
}

/** The parts of an automation, however they are spelt: one alone or a list. */
export function partsOf(config: Data, part: "trigger" | "action"): Data[] {
  const value = config[`${part}s`] ?? config[part] ?? [];
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}

function plural(name: string): string {
  return PARTS.includes(name) ? `${name}s` : name;
}

function schema(modern: boolean): Schema {
  const [trigger, condition, action] = modern ? PARTS.map(plural) : PARTS;
  const required = { [String(trigger)]: { required: anything }, [String(action)]: { required: anything } };
  const optional = [...OTHERS, condition].map((name) => [name, anything]);
  return { id: text, alias: text, description: text, ...Object.fromEntries(optional), ...required };
}

/** A trigger says what kind it is; an action which service it calls, as far as this house can run one. */
function wrongParts(config: Data, modern: boolean): Fault[] {
  return (["trigger", "action"] as const).flatMap((part) => {
    const known = modern ? [part, REQUIRED[part]] : [REQUIRED[part]];
    const wrong = partsOf(config, part).some((one) => !known.some((name) => name in one));
    return wrong ? [{ message: "required key not provided", path: [known.at(-1) as string] }] : [];
  });
}
