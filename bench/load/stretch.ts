/** One stretch of load: every slot asks, waits for its answer, checks it, and asks again, until the time is over. */
import process from "node:process";
import type { Messages } from "./messages.ts";
import type { Stretch } from "./protocol.ts";
import type { Slot } from "./slot.ts";

const REASONS = 5;
/** A subject that does not answer at all must not hold the bench up. */
const PATIENCE_MS = 30_000;

let nextId = 1;

export async function runStretch(slots: readonly Slot[], messages: Messages, seconds: number): Promise<Stretch> {
  const tally = new Tally();
  const processor = process.cpuUsage();
  const startedAt = performance.now();
  const until = startedAt + seconds * 1_000;
  await Promise.all(slots.map((slot) => askUntil(slot, messages, until, tally)));
  return tally.summary(performance.now() - startedAt, process.cpuUsage(processor));
}

function askUntil(slot: Slot, messages: Messages, until: number, tally: Tally): Promise<void> {
  return new Promise((resolve) => {
    let id = 0;
    let sentAt = 0;
    const ask = (): void => {
      id = nextId++;
      sentAt = performance.now();
      slot.send(id, messages.make(id), messages.headers(id));
    };
    const end = (): void => {
      clearTimeout(timer);
      slot.onFailure = () => {};
      resolve();
    };
    slot.onAnswer = (answer) => {
      const now = performance.now();
      tally.answered(now - sentAt, messages.fault(id, answer));
      if (now < until) ask();
      else end();
    };
    slot.onFailure = (reason) => {
      tally.failed(reason);
      end();
    };
    const timer = setTimeout(() => slot.onFailure("no answer"), until - performance.now() + PATIENCE_MS);
    ask();
  });
}

class Tally {
  readonly #latencies: number[] = [];
  readonly #reasons: string[] = [];
  #errors = 0;

  answered(milliseconds: number, fault: string | undefined): void {
    if (fault === undefined) this.#latencies.push(milliseconds);
    else this.failed(fault);
  }

  failed(reason: string): void {
    this.#errors++;
    if (this.#reasons.length < REASONS) this.#reasons.push(reason);
  }

  summary(elapsedMs: number, { user, system }: NodeJS.CpuUsage): Stretch {
    return {
      answers: this.#latencies.length,
      latencies: Float64Array.from(this.#latencies),
      elapsedMs,
      errors: this.#errors,
      reasons: this.#reasons,
      busyMs: (user + system) / 1_000,
    };
  }
}
