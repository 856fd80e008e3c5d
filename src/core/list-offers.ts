/** Asks one source for everything it offers beside tools, as far as it says that it offers such things. */
import { isObject } from "../contract/rules.ts";
import { ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { EMPTY_OBJECT, Payload } from "../protocol/json/payload.ts";
import type { Source } from "../sources/source.ts";
import { type Definition, LISTED_BY, type OfferKind, type SourceOffers } from "./offers.ts";

/** Endless pages are a fault of the server, not a reason to never answer. */
const MAX_PAGES = 100;
const MAX_DEFINITIONS = 10_000;
/** Of text in all pages of one list; the page that goes beyond it is the last. */
const MAX_CHARACTERS = 32 * 1_048_576;

/** Which capability speaks of which list. */
const CAPABILITIES: Readonly<Record<OfferKind, string>> = {
  prompts: "prompts",
  resources: "resources",
  resourceTemplates: "resources",
};

export async function listOffers(source: Source, signal: CancelSignal): Promise<SourceOffers> {
  const capabilities = (await source.face(signal))?.capabilities ?? {};
  const kinds = (Object.keys(CAPABILITIES) as OfferKind[]).filter((kind) => capabilities[CAPABILITIES[kind]]);
  const lists = await Promise.all(kinds.map(async (kind) => [kind, await listOne(source, kind, signal)] as const));
  return Object.fromEntries(lists);
}

/**
 * Templates are optional where resources are not: a server without them may not even know the question. But one that
 * broke off has not said that it offers nothing.
 */
async function listOne(source: Source, kind: OfferKind, signal: CancelSignal): Promise<readonly Definition[]> {
  const all: Definition[] = [];
  let cursor: string | undefined;
  let characters = 0;
  for (let page = 0; page < MAX_PAGES && all.length < MAX_DEFINITIONS && characters < MAX_CHARACTERS; page++) {
    const answer = await askPage(source, LISTED_BY[kind], cursor, signal).catch(unlessAnswered);
    const result = answer?.value as Definition | null | undefined;
    characters += answer?.text.length ?? 0;
    const list = result?.[kind];
    for (const one of Array.isArray(list) ? list : []) if (isObject(one)) all.push(one);
    const next = result?.["nextCursor"];
    // Some servers write an empty one where there is none.
    if (typeof next !== "string" || next === "" || next === cursor) break;
    cursor = next;
  }
  return all;
}

function askPage(source: Source, method: string, cursor: string | undefined, signal: CancelSignal): Promise<Payload> {
  const params = cursor === undefined ? EMPTY_OBJECT : Payload.ofValue({ cursor });
  const request = { method, name: method, args: EMPTY_OBJECT, params, language: "en" as const, signal };
  return source.request(request);
}

function unlessAnswered(error: unknown): undefined {
  if (!(error instanceof ZaguanError) || error.code !== "SOURCE_ERROR") throw error;
}
