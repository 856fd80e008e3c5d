/**
 * The simple ones among Home Assistant's templates: a value out of a message (`{{ value_json.a['b'][0] | float | round(1) }}`), and
 * a message with a value in it (`{"level": {{ value }}}`). Anything else, such as conditions and arithmetic, is not
 * understood, and whoever asked is told so; nothing is guessed. Pure, and linear in the length of the template.
 */
import type { Message } from "./device.ts";
import { numberOf } from "./units.ts";

const LONGEST = 500;
const EXPRESSION =
  /^\{\{-?\s*(value_json|value)((?:\.\w+|\[\d+\]|\['[^'\]]*'\]|\["[^"\]]*"\])*)((?:\s*\|\s*\w+(?:\([^()]*\))?)*)\s*-?\}\}$/;
const STEP = /\.(\w+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g;
const FILTER = /\|\s*(\w+)(?:\(([^()]*)\))?/g;

type Filter = (value: unknown, argument: string) => unknown;

/** Undefined of a value means that there is none. */
const FILTERS: Readonly<Record<string, Filter>> = {
  int: (value) => (numberOf(value) === undefined ? undefined : Math.trunc(numberOf(value) ?? 0)),
  float: (value) => numberOf(value),
  round: (value, digits) => {
    const number = numberOf(value);
    return number === undefined ? undefined : Number(number.toFixed(Math.min(10, Math.max(0, Number(digits) || 0))));
  },
  abs: (value) => (numberOf(value) === undefined ? undefined : Math.abs(numberOf(value) ?? 0)),
  lower: (value) => (value === undefined ? value : String(value).toLowerCase()),
  upper: (value) => (value === undefined ? value : String(value).toUpperCase()),
  trim: (value) => (value === undefined ? value : String(value).trim()),
  string: (value) => (value === undefined ? value : String(value)),
  default: (value, otherwise) => value ?? literal(otherwise),
  is_defined: (value) => value,
  tojson: (value) => value,
  to_json: (value) => value,
};

/** How a template reads a message; without a template, the message itself. Undefined where it is not understood. */
export function readerOf(template: unknown): ((message: Message) => unknown) | undefined {
  if (template === undefined || template === null || template === "") return ({ text }) => text;
  if (typeof template !== "string" || template.length > LONGEST) return undefined;
  const [, root, path = "", filters = ""] = EXPRESSION.exec(template.trim()) ?? [];
  if (root === undefined || (root === "value" && path !== "")) return undefined;
  const steps = [...path.matchAll(STEP)].map(([, ...names]) => names.find((name) => name !== undefined) ?? "");
  const calls = [...filters.matchAll(FILTER)].map(([, name = "", argument = ""]) => ({
    filter: Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined,
    argument,
  }));
  if (calls.some(({ filter }) => !filter)) return undefined;
  return ({ text, json }) => {
    const found = root === "value" ? text : within(json, steps);
    return calls.reduce<unknown>((value, { filter, argument }) => filter?.(value, argument), found);
  };
}

/**
 * How a template writes a value; without a template, the value itself. Undefined where it is not understood.
 * @param names by which the value may be called beside `value`
 */
export function writerOf(template: unknown, names: readonly string[] = []): ((value: unknown) => string) | undefined {
  if (template === undefined || template === null || template === "") return plain;
  if (typeof template !== "string" || template.length > LONGEST || template.includes("{%")) return undefined;
  const parts = template.split(/\{\{-?\s*(\w+)(?:\s*\|\s*(?:int|float|string|tojson))?\s*-?\}\}/);
  const isKnown = parts.every((part, index) =>
    index % 2 === 0 ? !/\{[{#]/.test(part) : ["value", ...names].includes(part),
  );
  if (!isKnown || parts.length === 1) return undefined;
  return (value) => parts.map((part, index) => (index % 2 === 0 ? part : plain(value))).join("");
}

function plain(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** What stands there by these names; nothing is looked up along a prototype. */
export function within(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((inner, step) => {
    const isThere = typeof inner === "object" && inner !== null && Object.hasOwn(inner, step);
    return isThere ? (inner as Readonly<Record<string, unknown>>)[step] : undefined;
  }, value);
}

/** A number, true, false, or a text in quotes; anything else is nothing. */
function literal(text: string): unknown {
  const bare = text.trim();
  const quoted = /^(['"])(.*)\1$/.exec(bare)?.[2];
  if (quoted !== undefined) return quoted;
  if (/^(?:true|false)$/i.test(bare)) return /^true$/i.test(bare);
  return numberOf(bare);
}
