/**
 * Answers for clients that poll: who has the answer already is told so in a few bytes. The text of an answer is made once
 * for each version of what it shows, and its tag is made from the text, so that it holds across restarts.
 */
import { createHash } from "node:crypto";
import { isLimited } from "../../core/access.ts";
import type { RestAnswer, RestRequest } from "./route.ts";

/**
 * `version` must change whenever anything does that `make` looks at, the caller and the URL excepted: those are told
 * apart here.
 */
type WithEtag = (
  request: RestRequest,
  version: string | number,
  make: () => RestAnswer | Promise<RestAnswer>,
) => Promise<RestAnswer>;

interface Kept {
  readonly version: string | number;
  readonly answer: Promise<Made>;
  /** Known once it is made. */
  size: number;
}

interface Made {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>> & { readonly etag: string };
}

const MOST_ANSWERS = 64;
const MOST_CHARACTERS = 32_000_000;

/** One for each door; it remembers the answers last asked for, up to a limit. */
export function etags(): WithEtag {
  const kept = new Map<string, Kept>();
  return async (request, version, make) => {
    const { text, headers } = await madeFor(kept, request, version, make);
    const isKnown = hasTag(request.header("if-none-match"), headers.etag);
    return isKnown ? { status: 304, headers: { etag: headers.etag } } : { status: 200, text, headers };
  };
}

function madeFor(kept: Map<string, Kept>, request: RestRequest, version: Kept["version"], make: MakeAnswer) {
  const key = keyOf(request);
  if (key === undefined) return made(make);
  const known = kept.get(key);
  if (known?.version === version) return known.answer;
  const fresh: Kept = { version, answer: made(make), size: 0 };
  kept.delete(key);
  kept.set(key, fresh);
  fresh.answer.then(
    ({ text }) => {
      fresh.size = text.length;
      trim(kept);
    },
    // What failed is tried anew by the next who asks.
    () => kept.get(key) === fresh && kept.delete(key),
  );
  return fresh.answer;
}

type MakeAnswer = Parameters<WithEtag>[2];

async function made(make: MakeAnswer): Promise<Made> {
  const { body, text = JSON.stringify(body), headers } = await make();
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`;
  return { text, headers: { ...headers, etag } };
}

/** Undefined for limited callers, whose answers are not kept: what they may see can change at any time. */
function keyOf({ principal, language, url }: RestRequest): string | undefined {
  if (isLimited(principal)) return undefined;
  return JSON.stringify([principal.id, language, url]);
}

/** Drops the oldest answers first. */
function trim(kept: Map<string, Kept>): void {
  let characters = 0;
  for (const { size } of kept.values()) characters += size;
  for (const [key, { size }] of kept) {
    if (kept.size <= MOST_ANSWERS && characters <= MOST_CHARACTERS) return;
    kept.delete(key);
    characters -= size;
  }
}

/** Whether `If-None-Match` names this one; a proxy that packs an answer on the way makes its tag a weak one. */
export function hasTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag);
}
