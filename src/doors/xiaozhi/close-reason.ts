/** Why a voice cloud's connection ended, in plain words: what the servers of this family mean by their close codes. */
import type { Ending } from "../../link/ending.ts";

export interface CloseReason {
  /** For the status and the log. */
  readonly reason: string;
  /** Cut without a word; closed on purpose, by the far end or for what it did; closed because another has our token. */
  readonly kind: "lost" | "goodbye" | "replaced";
}

const NORMAL = 1000;
/** 「新连接替换」 is how the relay says it. */
const REPLACED = /替换|replaced/i;
/** A word of this length is no word that a person would write: it may be a piece of our token. */
const LONG_WORD = /[!-~]{24,}/g;

const WORDS: Readonly<Record<number, string>> = {
  1001: "it is going away",
  1008: "it does not accept our token",
  1009: "what we sent is too large for it",
  1011: "it failed",
  1012: "it is being restarted",
  1013: "it is too busy",
  4001: "it does not accept our token",
  4003: "it does not accept our token",
  // The endpoint says so whenever it does not like what it hears.
  4004: "it did not understand our greeting or our list of tools, or failed itself",
};

/** `secrets` are what the far end may repeat and we do not. */
export function closeReasonOf(
  { kind, code, reason, words = "" }: Ending,
  secrets: readonly string[] = [],
): CloseReason {
  if (kind !== "closed") return { reason, kind: kind === "unfit" ? "goodbye" : "lost" };
  const text = secrets.reduce((told, secret) => told.replaceAll(secret, "…"), words).replace(LONG_WORD, "…");
  const brackets = inBrackets(code === undefined ? "" : String(code), text);
  if (code === NORMAL && REPLACED.test(text))
    return { reason: `another connection with the same token took our place${brackets}`, kind: "replaced" };
  return { reason: `${WORDS[code ?? 0] ?? "it closed the connection"}${brackets}`, kind: "goodbye" };
}

function inBrackets(code: string, text: string): string {
  const told = [code, text].filter((part) => part !== "").join(": ");
  return told === "" ? "" : ` (${told})`;
}
