/**
 * Arguments as their caller meant them, where seed 003's schema says less than its tools take: a list of names for a text
 * with commas, and one object for a list of one, as Home Assistant itself takes it.
 */
import { Payload } from "../../protocol/json/payload.ts";
import { isFields } from "../shared/arguments.ts";

type Reading = (value: unknown) => unknown;

const joined: Reading = (value) => {
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value.join(",") : value;
};
const asList: Reading = (value) => (isFields(value) ? [value] : value);

const READINGS: Readonly<Record<string, Readonly<Record<string, Reading>>>> = {
  call_service: { entity_id: joined, area: joined },
  create_automation: { trigger: asList, condition: asList, action: asList },
};

export function normalizeArguments(tool: string, args: Payload): Payload {
  const readings = Object.hasOwn(READINGS, tool) ? READINGS[tool] : undefined;
  const { value } = readings ? args : {};
  if (!readings || !isFields(value)) return args;
  const read = Object.entries(value).map(([name, given]) => {
    return [name, Object.hasOwn(readings, name) ? readings[name]?.(given) : given] as const;
  });
  const isOther = read.some(([name, given]) => given !== value[name]);
  return isOther ? Payload.ofValue(Object.fromEntries(read)) : args;
}
