/** Defaults are written as texts; what is sent has the type of its parameter. */
import { jsonIn, objectIn } from "./json-object.ts";
import type { ParameterDescription, ParameterType } from "./types.ts";

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
