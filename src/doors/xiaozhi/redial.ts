/** Why a connection to a voice cloud ended, and how long to wait before it is dialled again. */
import type { Random } from "../../core/ports.ts";
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
/** Nobody writes words of this length: it may be a piece of our token. */
const LONG_WORD = /[!-~]{24,}/g;

/** What the servers of this family mean by their close codes. */
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

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** After another client with our token took our place: dialling at once, the two would push each other out for ever. */
const REPLACED_MS = 60_000;
/** A connection that lasted this long counts as a success, whatever ended it. */
const STEADY_MS = 30_000;

export interface Outcome {
  readonly reason: string;
  readonly kind: CloseReason["kind"] | "unreached";
  /** How long it was open. */
  readonly openMs: number;
  /** Whether the far end began a conversation. */
  readonly isGreeted: boolean;
  /** What the far end asked for. */
  readonly retryAfterMs?: number | undefined;
}

/** Anything from nothing up to a ceiling that doubles (full jitter), so that a cloud that came back is not overrun. */
export class Redial {
  readonly #random: Random;
  #step = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(outcome: Outcome): number {
    if (isProof(outcome)) this.#step = 0;
    if (outcome.kind === "replaced") return Math.floor(REPLACED_MS * (1 + this.#random()));
    const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#step);
    if (ceiling < LONGEST_MS) this.#step++;
    return Math.max(outcome.retryAfterMs ?? 0, Math.floor(ceiling * this.#random()));
  }
}

/** A far end that greets us and soon closes does not like our answers: that is no success, and the wait grows. */
function isProof({ kind, openMs, isGreeted }: Outcome): boolean {
  return openMs >= STEADY_MS || (isGreeted && kind === "lost");
}
