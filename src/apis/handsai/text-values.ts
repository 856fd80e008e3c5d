/** Values that come as texts: JSON objects, and defaults of parameters, which are sent with the type of their parameter. */
import { isObject } from "../../contract/rules.ts";
import type { ParameterDescription, ParameterType } from "./types.ts";

export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonIn(text);
  return isObject(value) ? value : undefined;
}

/** Undefined where it is no JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined where there is none. */
export function defaultOf({ type, defaultValue }: ParameterDescription): unknown {
  return defaultValue === null || defaultValue === "" ? undefined : READERS[type](defaultValue);
}

export function isDefaultFor(type: ParameterType, text: string): boolean {
  return READERS[type](text) !== undefined;
}

/** Each gives undefined for what it cannot read. */
const READERS: Readonly<Record<ParameterType, (text: string) => unknown>> = {
  STRING: (text) => text,
  NUMBER: (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined),
  BOOLEAN: (text) => BOOLEANS[text.trim().toLowerCase()],
  OBJECT: objectIn,
  ARRAY: (text) => [jsonIn(text)].find(Array.isArray),
};

const BOOLEANS: Readonly<Record<string, boolean | undefined>> = { true: true, false: false };
