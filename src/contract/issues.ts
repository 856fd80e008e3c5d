/** What zod refuses, as places with texts: for every surface that checks with these schemas, each in its own words. */
import type { z } from "zod";
import { nearest } from "./rules.ts";

type Issue = z.core.$ZodIssue;

interface Refusal {
  readonly path: readonly PropertyKey[];
  readonly text: string;
  /** Said of the key, not of its value. */
  readonly ofKey: boolean;
}

/** Lazily: a body may have a million wrong elements, of which the first few are told. */
export function* refusalsIn(issues: readonly Issue[], above: readonly PropertyKey[] = []): Generator<Refusal> {
  for (const issue of issues) {
    const path = [...above, ...issue.path];
    const branch = issue.code === "invalid_union" ? issue.errors.find(saysMoreThanType) : undefined;
    if (branch) yield* refusalsIn(branch, path);
    else if (issue.code === "unrecognized_keys") yield* unknownKeysIn(issue, path);
    else if (issue.code === "invalid_key") yield { path, text: issue.issues[0]?.message ?? issue.message, ofKey: true };
    else yield { path, text: issue.message, ofKey: false };
  }
}

function* unknownKeysIn({ keys, message }: z.core.$ZodIssueUnrecognizedKeys, path: PropertyKey[]): Generator<Refusal> {
  for (const [index, text] of message.split("\n").entries()) {
    yield { path: [...path, keys[index] ?? ""], text, ofKey: true };
  }
}

/** The branch of a union that had the right type, and failed inside. */
function saysMoreThanType(branch: readonly Issue[]): boolean {
  return branch.some((issue) => issue.code !== "invalid_type" || issue.path.length > 0);
}

/** How many keys of one object are told. */
const MOST_KEYS = 100;

/**
 * The message of an object that refuses keys: one line for each key, in their order, since only here is it known which
 * keys there are. `word` says it of one key and the known key that was probably meant. To guess costs more than all the
 * rest: `budget` bounds it for a whole request.
 */
export function unknownKeys(
  issue: z.core.$ZodRawIssue,
  word: (key: string, near: string | undefined) => string,
  budget: { guesses: number } = { guesses: MOST_KEYS },
): string {
  const { keys, inst } = issue as z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>;
  const { shape = {} } = (inst as { readonly _zod: { readonly def: { readonly shape?: object } } })._zod.def;
  const known = Object.keys(shape);
  return keys
    .slice(0, MOST_KEYS)
    .map((key) => word(key, budget.guesses-- > 0 ? nearest(key, known) : undefined))
    .join("\n");
}

/** What the member that tells kinds apart may be, where none of them was meant; undefined for any other issue. */
export function kindsOf(
  issue: z.core.$ZodRawIssue,
): { readonly kinds: readonly unknown[]; readonly said: unknown } | undefined {
  if (issue.code !== "invalid_union" || typeof issue["discriminator"] !== "string") return undefined;
  const said = (issue.input as Readonly<Record<string, unknown>>)[issue["discriminator"]];
  return { kinds: issue["options"] as readonly unknown[], said };
}
