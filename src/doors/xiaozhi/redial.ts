/** How long to wait before an endpoint is dialled again. */
import type { Random } from "../../core/ports.ts";
import type { CloseReason } from "./close-reason.ts";

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** Whoever has our token would be sent away by us as we were by them, and come back, and so for ever. */
const REPLACED_MS = 60_000;
/** A connection of this length was good for something, whatever became of it. */
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

/** One who greets us and soon hangs up does not like our answers: to try at once again would be a storm. */
function isProof({ kind, openMs, isGreeted }: Outcome): boolean {
  return openMs >= STEADY_MS || (isGreeted && kind === "lost");
}
