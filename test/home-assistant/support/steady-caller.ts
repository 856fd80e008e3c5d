/** Calls the ledger's service through the bridge without pause, each time with a new number, and keeps every answer. */
import { setTimeout as sleep } from "node:timers/promises";
import { toolCall } from "../../support/seed-003.ts";
import type { BridgedHouse } from "./bridged-house.ts";

const AT_ONCE = 4;
/** Whoever is refused at once would else ask ten thousand times. */
const PAUSE_MS = 50;

/**
 * - done: the house ran it
 * - refused: the house itself says no, as while it starts and has no such service yet
 * - away: it never left, and the caller is told to come again
 * - unknown: it left, and the house was gone before it answered
 */
export type Outcome = "done" | "refused" | "away" | "unknown" | `unexpected: ${string}`;

export interface Answered {
  readonly n: number;
  readonly outcome: Outcome;
  readonly ms: number;
  /** By the clock of `performance`. */
  readonly at: number;
}

export class SteadyCaller {
  readonly answered: Answered[] = [];
  readonly #house: BridgedHouse;
  readonly #lines: Promise<void>[] = [];
  #last = 0;
  #isEnded = false;

  constructor(house: BridgedHouse) {
    this.#house = house;
  }

  begin(): void {
    while (this.#lines.length < AT_ONCE) this.#lines.push(this.#goOn());
  }

  /** Resolves when all that was asked is answered. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all(this.#lines);
  }

  /** @param since by the clock of `performance` */
  with(outcome: Outcome, since = 0): Answered[] {
    return this.answered.filter((one) => one.outcome === outcome && one.at >= since);
  }

  async #goOn(): Promise<void> {
    while (!this.#isEnded) {
      const n = ++this.#last;
      const sentAt = performance.now();
      const outcome = await this.#call(n);
      const at = performance.now();
      this.answered.push({ n, outcome, ms: at - sentAt, at });
      if (outcome !== "done") await sleep(PAUSE_MS);
    }
  }

  async #call(n: number): Promise<Outcome> {
    const args = { domain: "shell_command", service: "mark", data: { n } };
    try {
      const { status, body, text } = await this.#house.client.call(toolCall(n, "call_service", args));
      if (status === 200 && body.id === n) return body.result.isError ? "refused" : "done";
      const { code, data } = body.error;
      if (status === 503 && code === -32004 && data.delivery === "not_sent") return "away";
      if (status === 502 && code === -32004 && data.delivery === "unknown") return "unknown";
      return `unexpected: ${status} ${text}`;
    } catch (error) {
      return `unexpected: ${String(error)}`;
    }
  }
}
