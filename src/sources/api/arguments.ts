/**
 * A call's arguments. Integers that JavaScript cannot hold (ids of some APIs) are kept as they were written, so that they
 * leave with the same digits.
 */
import { isObject } from "../../contract/rules.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { wrongArgument } from "./refusal.ts";

export type Arguments = Readonly<Record<string, unknown>>;

interface RawNumber {
  readonly rawJSON: string;
}

/** Newer than the types that we compile with. */
const EXACT = JSON as unknown as {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
};

const MAYBE_LARGE = /[0-9]{16}/;
/** Characters; to look at every value takes its time. */
const MOST_EXACT = 2_097_152;

export function argumentsIn(args: Payload): Arguments {
  const value = MAYBE_LARGE.test(args.text) ? parseExactly(args.text) : args.value;
  if (value === null || value === undefined) return {};
  if (!isFields(value)) throw wrongArgument("api.argumentsObject");
  return value;
}

/** Only what is there by itself: `constructor` is no argument that anybody gave. */
export function argumentOf(args: Arguments, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !EXACT.isRawJSON(value);
}

/** As a plain value is written where there is no JSON around it. */
export function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  return EXACT.isRawJSON(value) ? value.rawJSON : (JSON.stringify(value) ?? "");
}

/** Such an integer as the nearest number that JavaScript has; anything else as it is. */
export function plainNumber(value: unknown): unknown {
  return EXACT.isRawJSON(value) ? Number(value.rawJSON) : value;
}

/** The value of a JSON text with its integers as they were written; `value` is what JavaScript makes of it. */
export function exactValue(text: string, value: unknown): unknown {
  return text.length <= MOST_EXACT && MAYBE_LARGE.test(text) ? parseExactly(text) : value;
}

function parseExactly(text: string): unknown {
  return EXACT.parse(text, (_key, value, { source }) => {
    const isInexact = typeof value === "number" && /^-?[0-9]+$/.test(source ?? "") && !Number.isSafeInteger(value);
    return isInexact ? EXACT.rawJSON(source ?? "0") : value;
  });
}
