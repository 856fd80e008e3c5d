/** One server as another client writes it: what of it the hub can take over, and what it cannot. */
import { isObject } from "../../../contract/rules.ts";
import type { NoteKind, PastedNote, PastedServer, RefusalKind } from "./paste.ts";

export type Form = Readonly<Record<string, unknown>>;

/** The members that are read, under all the names that clients have for them. */
const URLS = ["url", "serverUrl", "httpUrl", "baseUrl", "server_url"] as const;
const ENVS = ["env", "environment", "envs"] as const;
const HEADERS = ["headers", "http_headers"] as const;
const TOKENS = ["authorization_token", "bearerToken"] as const;
const READ = [...URLS, ...ENVS, ...HEADERS, ...TOKENS, "command", "args", "disabled", "enabled", "isActive"];

/** Members that change nothing about the server, and are passed over without a note. */
const NAMES = ["name", "server_label", "id", "title", "description", "note", "notes", "version", "tags"];
const LOOKS = ["icon", "logo", "logoUrl", "gallery", "provider", "providerUrl"];
const MEANS_NOTHING = [...NAMES, ...LOOKS, "type", "transport", "transportType", "source", "$schema", "zaguan"];

const NOTES: readonly (readonly [NoteKind, readonly string[]])[] = [
  ["cwd", ["cwd", "workingDirectory"]],
  ["envFile", ["envFile", "env_file"]],
  [
    "tools",
    ["tools", "includeTools", "excludeTools", "allowedTools", "allowed_tools", "disabledTools", "enabledTools"],
  ],
  ["oauth", ["oauth", "auth", "authProviderType"]],
];

export function readEntry(written: Form, name: string): PastedServer | RefusalKind {
  const entry = flat(written);
  const [command, ...first] = commandIn(entry["command"]);
  const baseUrl = firstText(entry, URLS);
  if (entry["type"] === "line") return "line";
  if (command === undefined && baseUrl === undefined) return isOfExtension(entry) ? "extension" : "nothing";
  if (command !== undefined && baseUrl !== undefined) return "both";
  if (baseUrl !== undefined && !/^(?:https?|wss?):\/\/./i.test(baseUrl) && !/^[$<{]/.test(baseUrl)) return "url";
  return {
    name,
    baseUrl,
    command,
    args: [...first, ...textsIn(entry["args"])],
    env: merged(entry, ENVS),
    headers: { ...tokenHeader(entry), ...merged(entry, HEADERS) },
    isOff: entry["disabled"] === true || entry["enabled"] === false || entry["isActive"] === false,
    notes: notesOn(entry),
  };
}

/** Whether it can be meant as a server at all. */
export function isEntry(value: unknown): value is Form {
  if (!isObject(value)) return false;
  const entry = flat(value);
  return entry["command"] !== undefined || URLS.some((key) => typeof entry[key] === "string");
}

/** The entry with the members of its connection, which some clients put one level deeper. */
function flat(written: Form): Form {
  const inner = [written["transport"], written["source"], written["requestInit"], written["command"]].filter(isObject);
  const { path, ...program } = isObject(written["command"]) ? written["command"] : {};
  return Object.assign({}, written, ...inner, isObject(written["command"]) && { ...program, command: path }) as Form;
}

function commandIn(written: unknown): readonly string[] {
  return typeof written === "string" && written !== "" ? [written] : textsIn(written);
}

function textsIn(written: unknown): readonly string[] {
  if (typeof written === "string") return [written];
  return Array.isArray(written) ? written.flatMap((value) => textOf(value) ?? []) : [];
}

function firstText(entry: Form, keys: readonly string[]): string | undefined {
  const found = keys.map((key) => entry[key]).find((value) => typeof value === "string" && value.trim() !== "");
  return typeof found === "string" ? found.trim() : undefined;
}

function merged(entry: Form, keys: readonly string[]): Record<string, string> {
  const pairs = keys.flatMap((key) => (isObject(entry[key]) ? Object.entries(entry[key]) : []));
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => {
      const text = textOf(value);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

function textOf(value: unknown): string | undefined {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
}

function tokenHeader(entry: Form): Record<string, string> {
  const token = firstText(entry, TOKENS);
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

/** An editor's extension brings its program along; what stands in the file are its settings alone. */
function isOfExtension(entry: Form): boolean {
  return entry["settings"] !== undefined || entry["source"] === "extension";
}

function notesOn(entry: Form): readonly PastedNote[] {
  const told = NOTES.flatMap(([kind, keys]) => {
    const said = keys.filter((key) => isSaid(entry[key]));
    return said.length > 0 ? [{ kind, what: detailOf(entry[said[0] ?? ""]) ?? said.join(", ") }] : [];
  });
  const known = new Set([...READ, ...MEANS_NOTHING, ...NOTES.flatMap(([, keys]) => keys), "requestInit", "settings"]);
  const others = Object.keys(entry).filter((key) => !known.has(key) && isSaid(entry[key]));
  return others.length > 0 ? [...told, { kind: "unused", what: others.join(", ") }] : told;
}

function detailOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Whether a member says anything: not where it is empty or false. */
function isSaid(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "") return false;
  if (Array.isArray(value)) return value.length > 0 && value.join() !== "*";
  return !isObject(value) || Object.keys(value).length > 0;
}
