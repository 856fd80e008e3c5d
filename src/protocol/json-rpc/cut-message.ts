/**
 * What a message of which only the beginning and the end were kept can have been, and whose: the id may stand on either
 * side of the part that was too large. The text has not been proved to be JSON and is trusted in nothing else.
 */
import type { CutMessage } from "../framing/passed-over.ts";
import { outerMembers } from "../json/find-id.ts";

interface CutFacts {
  /** An answer, a request, a notification, or nothing that can be told. */
  readonly kind: "answer" | "request" | "notification" | "message";
  /** As it was written. */
  readonly id?: string | undefined;
}

/** The last member of an object whose closing brace was taken off, if its value is short and plain. */
const LAST_MEMBER = /,\s*"([^"\\]*)"\s*:\s*("[^"\\]*"|-?\d[\d.eE+-]*|true|false|null)\s*$/;
const CLOSING_BRACE = /\}\s*$/;

type Members = readonly (readonly [key: string, value: string | undefined])[];
type Ends = Pick<CutMessage, "head" | "tail">;

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
