/**
 * What can be told of a message that was refused for its size or shape, or of which only the beginning and the end were kept:
 * its id, so that its sender gets the refusal under the id it waits for, and its kind. Knows only strings and nesting; the
 * text has not been proved to be JSON and is trusted in nothing else.
 */
import type { CutMessage } from "../framing/passed-over.ts";

const PRIMITIVE = /\s*:\s*("(?:[^"\\\p{Cc}]|\\.)*"|-?\d[\d.eE+-]*)/uy;
const COLON = /\s*:/y;
const LONGEST_ID = 1_000;

/** The id's text if the outermost object has exactly one, which is a string or a number, else `null`. */
export function findId(text: string): string {
  let found: string | undefined;
  for (const [key, value] of outerMembers(text)) {
    if (key !== "id") continue;
    // Two readers may take two ids for the one that counts: then it is nobody's.
    if (found !== undefined) return "null";
    found = value ?? "null";
  }
  return found ?? "null";
}

/** The members of the outermost object, as far as the text goes; each with its value if that is a string or a number. */
function* outerMembers(text: string): Generator<[key: string, value: string | undefined]> {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      const end = endOfString(text, at);
      if (depth === 1 && isKey(text, end)) yield [text.slice(at + 1, end - 1), primitiveAt(text, end)];
      at = end - 1;
    } else if (code === 0x7b || code === 0x5b) depth++;
    else if (code === 0x7d || code === 0x5d) depth--;
  }
}

function isKey(text: string, end: number): boolean {
  COLON.lastIndex = end;
  return COLON.test(text);
}

/** A number at the very end of the text may have been cut through: it is none. */
function primitiveAt(text: string, from: number): string | undefined {
  PRIMITIVE.lastIndex = from;
  const found = PRIMITIVE.exec(text)?.[1];
  const isWhole = PRIMITIVE.lastIndex < text.length;
  return found !== undefined && isWhole && found.length <= LONGEST_ID && isJson(found) ? found : undefined;
}

/** Where the string that begins here is over, its closing quote included. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at + 1;
  }
  return text.length;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface CutFacts {
  /** An answer, a request, a notification, or nothing that can be told. */
  readonly kind: "answer" | "request" | "notification" | "message";
  /** The JSON of the id as it was written. */
  readonly id?: string | undefined;
}

/** The last member of an object whose closing brace was taken off, if its value is short and plain. */
const LAST_MEMBER = /,\s*"([^"\\]*)"\s*:\s*("[^"\\]*"|-?\d[\d.eE+-]*|true|false|null)\s*$/;
const CLOSING_BRACE = /\}\s*$/;

type Members = readonly (readonly [key: string, value: string | undefined])[];
type Ends = Pick<CutMessage, "head" | "tail">;

/** The id may stand on either side of the part that was too large. */
export function readCut(ends: Ends): CutFacts {
  const members = membersOf(ends);
  const has = (...keys: string[]): boolean => members.some(([key]) => keys.includes(key));
  const id = idIn(members);
  if (has("method")) return has("id") ? { kind: "request", id } : { kind: "notification" };
  return has("result", "error") ? { kind: "answer", id } : { kind: "message" };
}

/** Its id alone, of a message that need not be JSON-RPC. */
export function idOfCut(ends: Ends): string | undefined {
  return idIn(membersOf(ends));
}

function membersOf({ head, tail }: Ends): Members {
  return head.trimStart().startsWith("{") ? [...outerMembers(head), ...lastMembers(tail)] : [];
}

/** Reads backwards from the brace that ends the message: what stands there belongs to the outermost object. */
function lastMembers(tail: string): [string, string][] {
  const members: [string, string][] = [];
  let rest = CLOSING_BRACE.test(tail) ? tail.replace(CLOSING_BRACE, "") : "";
  for (let found = LAST_MEMBER.exec(rest); found; found = LAST_MEMBER.exec(rest)) {
    members.push([found[1] ?? "", found[2] ?? ""]);
    rest = rest.slice(0, found.index);
  }
  return members;
}

/** Two readers may take two ids for the one that counts: then it is nobody's. */
function idIn(members: Members): string | undefined {
  const ids = new Set(members.flatMap(([key, value]) => (key === "id" ? [value] : [])));
  return ids.size === 1 ? [...ids][0] : undefined;
}
