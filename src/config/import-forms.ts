/** Finds the servers in other clients' files, whatever form those have, and brings their entries into ours. */
import { isObject } from "../contract/rules.ts";
import { member, REFERENCE, reference } from "./load.ts";
import { IGNORED_SERVER_KEYS } from "./server-schema.ts";

type Members = Readonly<Record<string, unknown>>;

export interface ForeignServer {
  readonly name: string;
  readonly entry: unknown;
  /** Variables in the place of what its editor would ask a person. */
  readonly inputs: readonly string[];
}

/** Older or other spellings of members that mean the same. */
const SYNONYMS: Readonly<Record<string, string>> = { transportType: "type", serverUrl: "url", httpUrl: "url" };

/** Variables that only editors have, and that stand for something everybody has. */
const EDITOR_VARIABLES: Readonly<Record<string, string>> = {
  userHome: reference("HOME"),
  pathSeparator: "/",
  "/": "/",
};

const PLAIN_VARIABLE = /^(?:env:)?([A-Za-z_]\w*)$/;

/**
 * `mcpServers` (Claude Desktop, Claude Code, Cursor, LM Studio, Cline), `servers` (VS Code's mcp.json, beside `inputs`)
 * or `mcp.servers` (VS Code's settings); undefined if the file has none of them.
 */
export function findServers(file: unknown): readonly ForeignServer[] | undefined {
  const settings = member(file, "mcp");
  const servers = member(file, "mcpServers") ?? member(file, "servers") ?? member(settings, "servers");
  if (!isObject(servers)) return undefined;
  const inputs = defaultsOf(member(file, "inputs") ?? member(settings, "inputs"));
  return Object.entries(servers).map(([name, entry]) => ({ name, ...translated(entry, inputs) }));
}

/** The variables without which a hub refuses the entry: those that have no default and that it does not set itself. */
export function variablesOf(entry: unknown): readonly string[] {
  if (!isObject(entry)) return [];
  const own = isObject(entry["env"]) ? entry["env"] : {};
  const found = Object.entries(entry).flatMap(([key, value]) => {
    if (IGNORED_SERVER_KEYS.includes(key)) return [];
    const names = textsIn(value).flatMap(plainReferences);
    return key === "args" ? names.filter((name) => !Object.hasOwn(own, name)) : names;
  });
  return [...new Set(found)];
}

function translated(entry: unknown, defaults: ReadonlyMap<string, string>): { entry: unknown; inputs: string[] } {
  const inputs = new Set<string>();
  const translate = (text: string): string =>
    text.replace(REFERENCE, (whole: string, body: string) => {
      if (whole.startsWith("$$")) return whole;
      if (Object.hasOwn(EDITOR_VARIABLES, body)) return EDITOR_VARIABLES[body] ?? whole;
      if (!body.startsWith("input:")) return whole;
      const id = body.slice("input:".length);
      const variable = `INPUT_${id.toUpperCase().replace(/\W+/g, "_")}`;
      inputs.add(variable);
      // With a default, be it empty: for the lack of one answer a hub must not refuse all its servers.
      return reference(`${variable}:-${defaults.get(id) ?? ""}`);
    });
  const ours = isObject(entry) ? withoutUnset(renameMembers(entry)) : entry;
  return { entry: mapTexts(ours, translate), inputs: [...inputs] };
}

/** What VS Code offers as the answer to each of its questions. */
function defaultsOf(inputs: unknown): ReadonlyMap<string, string> {
  const known = Array.isArray(inputs) ? inputs.filter(isObject) : [];
  const usable = known.flatMap(({ id, default: answer }): [string, string][] =>
    typeof id === "string" && typeof answer === "string" && !/[{}]/.test(answer) ? [[id, answer]] : [],
  );
  return new Map(usable);
}

/** A synonym never overwrites the member's usual name: both together stay, and are refused by the check. */
function renameMembers(entry: Members): Members {
  const rename = (key: string): string => {
    const usual = Object.hasOwn(SYNONYMS, key) ? SYNONYMS[key] : undefined;
    return usual === undefined || Object.hasOwn(entry, usual) ? key : usual;
  };
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [rename(key), value]));
}

/** VS Code unsets a variable of the program with null; ours get none that they are not given. */
function withoutUnset(entry: Members): Members {
  const { env } = entry;
  if (!isObject(env)) return entry;
  return { ...entry, env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== null)) };
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change)]));
}

function textsIn(value: unknown): string[] {
  const found: string[] = [];
  mapTexts(value, (text) => {
    found.push(text);
    return text;
  });
  return found;
}

function plainReferences(text: string): string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([whole, body = ""]) => {
    const name = whole.startsWith("$$") ? undefined : PLAIN_VARIABLE.exec(body)?.[1];
    return name === undefined ? [] : [name];
  });
}
