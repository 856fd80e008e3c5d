/**
 * What a model reads of an operation: descriptions that are enough to choose by, and names fit for every client, of tools
 * from an `operationId` or from method and path, of arguments from their names on the wire.
 */
import { PLAIN_NAME } from "../contract/rules.ts";

const LONGEST_TITLE = 100;
const LONGEST_DESCRIPTION = 1_024;
const LONGEST_NOTE = 400;

interface Told {
  readonly summary?: string | undefined;
  readonly description?: string | undefined;
  readonly deprecated: boolean;
  readonly method: string;
  readonly path: string;
}

export function describeOperation({ summary = "", description = "", deprecated, method, path }: Told): string {
  const [first, rest] = [summary.trim(), description.trim()];
  const parts = rest.startsWith(first) ? [rest] : [first, rest];
  const text = parts.filter((part) => part !== "").join("\n\n") || `${method} ${path}`;
  return cut(deprecated ? `Deprecated. ${text}` : text, LONGEST_DESCRIPTION);
}

export function titleOf(summary: string | undefined): string | undefined {
  const line = summary?.trim().split("\n", 1)[0]?.trim();
  return line ? cut(line, LONGEST_TITLE) : undefined;
}

/** The description of one argument, or of a part of a schema. */
export function note(description: unknown): string | undefined {
  const text = typeof description === "string" ? description.trim() : "";
  return text === "" ? undefined : cut(text, LONGEST_NOTE);
}

/** After a sentence if one ends late enough, else after a word; never through a character. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const room = text.slice(0, most - 2);
  const sentence = Math.max(room.lastIndexOf(". "), room.lastIndexOf(".\n"), room.lastIndexOf("\n\n"));
  if (sentence > most / 2) return `${room.slice(0, sentence + 1).trimEnd()} …`;
  const word = Math.max(room.lastIndexOf(" "), room.lastIndexOf("\n"));
  return `${(word > most / 2 ? room.slice(0, word) : room.toWellFormed().replace(/\uFFFD$/, "")).trimEnd()} …`;
}

const LONGEST = 64;

/** Hands out each name once. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  readonly #next = new Map<string, number>();

  take(wanted: string): string {
    const name = this.#free(wanted);
    this.#taken.add(name);
    return name;
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** Where the count stood is kept, so that a thousand equal names are not counted through a thousand times. */
  #free(wanted: string): string {
    if (!this.#taken.has(wanted)) return wanted;
    for (let number = this.#next.get(wanted) ?? 2; ; number++) {
      const suffix = `_${number}`;
      const name = wanted.slice(0, LONGEST - suffix.length) + suffix;
      this.#next.set(wanted, number + 1);
      if (!this.#taken.has(name)) return name;
    }
  }
}

export function toolName(operationId: string | undefined, method: string, path: string): string {
  return fit(operationId ?? "") || nameOfPath(method, path);
}

/** As it is, where every client can take it; else with the characters that some refuse left out. */
export function argumentName(name: string): string {
  return fit(name) || "argument";
}

/** For `$defs`, where a name is looked up by a pointer. */
export function definitionName(pointer: string): string {
  return fit(pointer.slice(pointer.lastIndexOf("/") + 1)) || "schema";
}

/** `GET /pets/{id}` reads `get_pets_by_id`. */
function nameOfPath(method: string, path: string): string {
  const words = path
    .slice(0, LONGEST * 4)
    .replaceAll("{", "_by_")
    .replaceAll("}", "_");
  return tidy(`${method.toLowerCase()}_${words}`);
}

/** Not `__proto__`: whatever a client makes of it, it is not a member. */
function fit(name: string): string {
  return PLAIN_NAME.test(name) && name !== "__proto__" ? name : tidy(name);
}

/** Cut before the patterns run, so that an endless name costs nothing. */
function tidy(name: string): string {
  const plain = name.slice(0, LONGEST * 5).replaceAll(/[^A-Za-z0-9_.-]+/g, "_");
  return trimmed(trimmed(plain.replaceAll(/_{2,}/g, "_")).slice(0, LONGEST));
}

function trimmed(name: string): string {
  return name.replace(/^[_.-]+/, "").replace(/[_.-]+$/, "");
}
