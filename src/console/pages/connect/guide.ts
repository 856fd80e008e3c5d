/** What a guide to one client consists of: texts by their keys, and things to copy. Drawn by `guide-parts.ts`. */
import { isObject } from "../../../contract/rules.ts";
import type { ConsoleKey } from "../../../messages/en/console.ts";
import type { Place } from "./place.ts";

export type Part =
  | { readonly kind: "heading" | "text" | "note"; readonly say: ConsoleKey; readonly params?: Params | undefined }
  | { readonly kind: "snippet"; readonly say: ConsoleKey; readonly text: string }
  /** What to enter where, in the words of the client. */
  | { readonly kind: "fields"; readonly say: ConsoleKey; readonly rows: readonly Row[] }
  /** Opens the client itself. */
  | { readonly kind: "link"; readonly say: ConsoleKey; readonly href: string };

type Params = Readonly<Record<string, string>>;
type Row = readonly [field: string, value: string];

export type Guide = (place: Place) => readonly Part[];

export function heading(say: ConsoleKey): Part {
  return { kind: "heading", say };
}

export function text(say: ConsoleKey, params?: Params): Part {
  return { kind: "text", say, params };
}

export function note(say: ConsoleKey, params?: Params): Part {
  return { kind: "note", say, params };
}

export function snippet(say: ConsoleKey, written: string): Part {
  return { kind: "snippet", say, text: written };
}

export function json(say: ConsoleKey, value: object): Part {
  return snippet(say, pretty(value));
}

/** As people write it: lists of words on one line, everything else on lines of its own. */
export function pretty(value: unknown, indent = ""): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (!value.some(isObject)) return `[${value.map((one) => JSON.stringify(one)).join(", ")}]`;
    return `[\n${value.map((one) => inner + pretty(one, inner)).join(",\n")}\n${indent}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${inner}${JSON.stringify(name)}: ${pretty(one, inner)}`);
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${indent}}`;
}

export function fields(say: ConsoleKey, ...rows: readonly Row[]): Part {
  return { kind: "fields", say, rows };
}

export function link(say: ConsoleKey, href: string): Part {
  return { kind: "link", say, href };
}

/** `\${NAME}`, made of parts so that no reader takes it for a template. */
export function variable(name: string): string {
  return `\${${name}}`;
}
