/** Configuration of other clients, as it is pasted, into servers that can be registered here; and what cannot, and why. */
import { isObject } from "../../../contract/rules.ts";
import { faultPlace, type Place, START } from "../../kit/json-fault.ts";
import { type Form, isEntry, readEntry } from "./paste-entry.ts";
import { type AskedInput, type Gap, gapsIn } from "./paste-gaps.ts";
import { freeName, nameOfCommand, nameOfUrl, possibleName } from "./server-name.ts";

/** What was said of a server and does not come along. */
export type NoteKind = "cwd" | "envFile" | "oauth" | "renamed" | "tools" | "unused";
/** Why a server cannot be taken at all. */
export type RefusalKind = "both" | "extension" | "line" | "noForm" | "nothing" | "url";

export interface PastedNote {
  readonly kind: NoteKind;
  readonly what: string;
}

export interface PastedServer {
  readonly name: string;
  readonly baseUrl?: string | undefined;
  readonly command?: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** It is switched off where it comes from. */
  readonly isOff: boolean;
  readonly notes: readonly PastedNote[];
}

interface Refused {
  readonly name: string;
  readonly why: RefusalKind;
}

export interface Pasted {
  readonly servers: readonly PastedServer[];
  readonly refused: readonly Refused[];
  readonly gaps: readonly Gap[];
}

export type PasteOutcome =
  | { readonly kind: "nothing" }
  | { readonly kind: "broken"; readonly at: Place }
  | { readonly kind: "unknown" }
  | ({ readonly kind: "read" } & Pasted);

/** Where clients keep their servers: a path each. The last one is also used for other things. */
const PLACES: readonly (readonly string[])[] = [
  ["mcpServers"],
  ["servers"],
  ["mcp", "servers"],
  ["context_servers"],
  ["mcp_servers"],
  ["amp.mcpServers"],
  ["experimental", "modelContextProtocolServers"],
  ["mcp"],
];

export function readPaste(text: string): PasteOutcome {
  if (text.trim() === "") return { kind: "nothing" };
  const json = readJson(text);
  if (!json.ok) return { kind: "broken", at: json.at };
  const found = entriesIn(json.value);
  return found.length === 0 ? { kind: "unknown" } : { kind: "read", ...readAll(found, inputsIn(json.value)) };
}

type Found = readonly [name: string | undefined, entry: unknown];

function entriesIn(root: unknown): readonly Found[] {
  if (Array.isArray(root)) return root.filter(isEntry).map((entry) => [nameIn(entry), entry]);
  if (!isObject(root)) return [];
  for (const path of PLACES) {
    const found = listed(at(root, path)).filter(([, entry]) => path[0] !== "mcp" || isEntry(entry));
    if (found.length > 0) return found;
  }
  if (isEntry(root)) return [[nameIn(root), root]];
  const bare = Object.entries(root);
  return bare.some(([, entry]) => isEntry(entry)) ? bare.filter(([, entry]) => isObject(entry)) : [];
}

function at(root: Form, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    root,
  );
}

function listed(place: unknown): readonly Found[] {
  if (Array.isArray(place)) return place.map((entry) => [isObject(entry) ? nameIn(entry) : undefined, entry]);
  return isObject(place) ? Object.entries(place) : [];
}

function nameIn(entry: Form): string | undefined {
  const said = [entry["name"], entry["server_label"], entry["id"]].find((name) => typeof name === "string");
  return said as string | undefined;
}

function readAll(found: readonly Found[], inputs: readonly AskedInput[]): Pasted {
  const servers: PastedServer[] = [];
  const refused: Refused[] = [];
  for (const [said, entry] of found) {
    const read = isObject(entry) ? readEntry(entry, said ?? "") : "noForm";
    if (typeof read === "string") refused.push({ name: said ?? "?", why: read });
    else servers.push(named(read, said, servers));
  }
  return { servers, refused, gaps: gapsIn(servers, inputs) };
}

function named(server: PastedServer, said: string | undefined, before: readonly PastedServer[]): PastedServer {
  const { baseUrl, command = "", args } = server;
  const wanted = said || (baseUrl === undefined ? nameOfCommand(command, args) : nameOfUrl(baseUrl));
  const name = freeName(possibleName(wanted), new Set(before.map((other) => other.name)));
  const isRenamed = said !== undefined && said !== "" && name !== said;
  return { ...server, name, notes: isRenamed ? [{ kind: "renamed", what: said }, ...server.notes] : server.notes };
}

function inputsIn(root: unknown): readonly AskedInput[] {
  if (!isObject(root)) return [];
  const lists = [root["inputs"], at(root, ["mcp", "inputs"])].filter(Array.isArray);
  return lists.flat().filter((input): input is AskedInput => isObject(input) && typeof input["id"] === "string");
}

type ReadJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly at: Place };

const FENCE = /^\s*```[^\n]*\n([\s\S]*?)\n?```\s*$/;
const TEXT = '"(?:[^"\\\\\\n]|\\\\.)*"';
const TEXT_OR_COMMENT = new RegExp(`${TEXT}|//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)`, "g");
const TEXT_OR_LAST_COMMA = new RegExp(`${TEXT}|,(?=\\s*[}\\]])`, "g");

/**
 * JSON as people keep it in configuration files and copy it out of manuals: with comments, with a comma too many, with a
 * fence of Markdown around it, or without the outermost braces.
 */
export function readJson(written: string): ReadJson {
  const text = written.replace(/^\uFEFF/, "").replace(FENCE, "$1");
  const plain = text.replace(TEXT_OR_COMMENT, keepText(blank)).replace(/[\s,;]+$/, "");
  const isPiece = /^\s*"[^"\n]*"\s*:/.test(plain);
  const whole = (isPiece ? `{${plain}}` : plain).replace(TEXT_OR_LAST_COMMA, keepText(blank));
  try {
    return { ok: true, value: JSON.parse(whole) };
  } catch {
    const { line, column } = faultPlace(whole) ?? START;
    // The brace in front of a fragment was added above.
    return { ok: false, at: { line, column: isPiece && line === 1 ? column - 1 : column } };
  }
}

function keepText(change: (found: string) => string): (found: string) => string {
  return (found) => (found.startsWith('"') ? found : change(found));
}

/** Blanks of the same length, so that lines and columns stay the same. */
function blank(found: string): string {
  return found.replace(/[^\n]/g, " ");
}
