/** What a link says of a tool's arguments, as people write it: JSON, or nothing. */
import type { BindingConfig } from "../../../contract/agent.ts";
import { isObject } from "../../../contract/rules.ts";
import type { ConsoleKey } from "../../../messages/en/console.ts";
import { faultIn } from "../servers/paste-fault.ts";

type ReadConfig =
  /** `strange` are arguments that the tool does not have: possible, but hardly meant. */
  | { readonly config: BindingConfig | null; readonly strange: readonly string[]; readonly wrong?: undefined }
  | { readonly wrong: ConsoleKey; readonly detail: string };

const MEMBERS: readonly string[] = ["fixedArguments", "allowedArguments"];

export function readConfig(text: string, inputSchema: unknown): ReadConfig {
  if (text.trim() === "") return { config: null, strange: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { line, column } = faultIn(text);
    return { wrong: "agents.config.noJson", detail: `${line}:${column}` };
  }
  return checked(value, argumentsOf(inputSchema));
}

function checked(value: unknown, known: readonly string[]): ReadConfig {
  if (!isObject(value)) return { wrong: "agents.config.noObject", detail: "" };
  const other = Object.keys(value).find((member) => !MEMBERS.includes(member));
  if (other !== undefined) return { wrong: "agents.config.unknown", detail: other };
  const { fixedArguments, allowedArguments } = value;
  if (fixedArguments !== undefined && !isObject(fixedArguments)) return { wrong: "agents.config.fixed", detail: "" };
  const isList = Array.isArray(allowedArguments) && allowedArguments.every((name) => typeof name === "string");
  if (allowedArguments !== undefined && !isList) return { wrong: "agents.config.allowed", detail: "" };
  const named = [...Object.keys(fixedArguments ?? {}), ...((allowedArguments ?? []) as string[])];
  const strange = known.length === 0 ? [] : [...new Set(named.filter((name) => !known.includes(name)))];
  return { config: Object.keys(value).length === 0 ? null : (value as BindingConfig), strange };
}

/** The names of what a tool takes; none where its schema does not say. */
export function argumentsOf(inputSchema: unknown): readonly string[] {
  const properties = isObject(inputSchema) ? inputSchema["properties"] : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
}

export function writeConfig(config: BindingConfig | null): string {
  return config === null || Object.keys(config).length === 0 ? "" : JSON.stringify(config, null, 2);
}

/** Something to begin with: the tool's own arguments, the first fixed and the others left to the agent. */
export function exampleConfig(inputSchema: unknown): string {
  const [first = "name", ...others] = argumentsOf(inputSchema);
  return JSON.stringify({ fixedArguments: { [first]: "…" }, allowedArguments: others }, null, 2);
}
