/** What is to be sent: filled in by a form, or written as JSON. Both are one value, which is whatever was touched last. */
import { readJson } from "../../kit/exact-json.ts";
import { faultPlace, type Place, START } from "../../kit/json-fault.ts";
import { isObject, type JsonObject } from "./values.ts";

export interface ArgsState {
  readonly view: "form" | "json";
  readonly value: JsonObject;
  /** As it was typed, while that is not how we would write the value. */
  readonly text?: string | undefined;
}

export type JsonFault = { readonly code: "object" } | ({ readonly code: "json" } & Place);

export function withValue(state: ArgsState, value: JsonObject): ArgsState {
  return { view: state.view, value };
}

/** The value stays the last that could be read. */
export function withText(state: ArgsState, text: string): ArgsState {
  const read = readArguments(text);
  return { ...state, text, ...("value" in read && { value: read.value }) };
}

export function textOf({ text, value }: ArgsState): string {
  return text ?? JSON.stringify(value, null, 2);
}

/** Undefined of what can be sent. */
export function faultIn({ text }: ArgsState): JsonFault | undefined {
  if (text === undefined) return undefined;
  const read = readArguments(text);
  return "fault" in read ? read.fault : undefined;
}

function readArguments(text: string): { readonly value: JsonObject } | { readonly fault: JsonFault } {
  try {
    const value = text.trim() === "" ? {} : readJson(text);
    return isObject(value) ? { value } : { fault: { code: "object" } };
  } catch {
    return { fault: { code: "json", ...(faultPlace(text) ?? START) } };
  }
}

const MOST_KEPT = 50;
const kept = new Map<string, ArgsState>();

/** What was filled in, per tool, for as long as the page is open: who looks at something else comes back to it. */
export function keptArgs(tool: string): ArgsState | undefined {
  return kept.get(tool);
}

export function keepArgs(tool: string, state: ArgsState): void {
  kept.delete(tool);
  kept.set(tool, state);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}
