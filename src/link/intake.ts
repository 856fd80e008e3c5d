/**
 * What comes in over a link, with a budget for what nobody asked for. Answers are as many as there were requests and pass
 * freely; notifications, questions and noise have so many messages and bytes a turn and a second. Who goes beyond is not
 * read for a moment, so that its own pipe fills and it has to wait; who goes on like that is ended.
 */

const PER_SECOND = 1_000;
/** Saved up by those who are quiet, and spent at once where something happens. */
const SAVED = 2_000;
/** In one turn of the event loop: others want theirs. */
const PER_TURN = 100;
/** An answer to a question costs more than to hear it; and of what we subscribed to, much may happen at once. */
const WEIGHTS: Readonly<Record<string, number>> = { event: 0.2, unasked: 1, question: 5 };
/** A message of this many bytes costs as much as two small ones. */
const BYTES = 4_096;
const PAUSE_MS = 100;
/** How long somebody may be at the limit without a break. */
const PATIENCE_MS = 30_000;

export const FLOODED = "it sends far more than anybody can take, without being asked";

interface IntakeOptions {
  /** Says what it was, as `LinkHandlers.onMessage`. `sent` is our message in whose answer it came, where the link knows that. */
  deliver(message: string, sent?: string): unknown;
  /** Stops reading: what is read already still comes. */
  pause(): unknown;
  resume(): unknown;
  /** Called when the other side has been at its limit for too long. */
  onFlood?(): unknown;
  readonly clock?: IntakeClock | undefined;
}

interface IntakeClock {
  /** Milliseconds that only grow. */
  now(): number;
  /** Runs it after this time; the returned function cancels that. */
  after(ms: number, run: () => void): () => void;
}

const REAL: IntakeClock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export class Intake {
  readonly #options: IntakeOptions;
  readonly #clock: IntakeClock;
  /** What was read before the pause took effect. */
  #waiting: { readonly message: string; readonly sent: string | undefined }[] = [];
  /** Ends the pause; set while nothing is read. */
  #stopPause: (() => void) | undefined;
  #left = SAVED;
  #countedAt: number;
  #inTurn = 0;
  #atLimitSince: number | undefined;
  #isOver = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#clock = options.clock ?? REAL;
    this.#countedAt = this.#clock.now();
  }

  take(message: string, sent?: string): void {
    if (this.#stopPause) this.#waiting.push({ message, sent });
    else {
      const weight = WEIGHTS[this.#options.deliver(message, sent) as string];
      if (weight !== undefined) this.#charge(weight + message.length / BYTES);
    }
  }

  /** For what was read and is none that could be handed out. */
  spend(bytes: number): void {
    this.#charge(1 + bytes / BYTES);
  }

  /** Hands out at once what waits: nothing more will come, or somebody has to know now. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { message, sent } of waiting) this.#options.deliver(message, sent);
  }

  /** The other side has ended: what it still said is all there is, and is handed out without a limit. */
  end(): void {
    this.#isOver = true;
    this.flush();
    this.#stopPause?.();
    this.#stopPause = undefined;
  }

  #charge(cost: number): void {
    if (this.#isOver) return;
    const now = this.#clock.now();
    this.#left = Math.min(SAVED, this.#left + ((now - this.#countedAt) * PER_SECOND) / 1_000) - cost;
    this.#countedAt = now;
    this.#inTurn += cost;
    if (this.#left > SAVED / 2) this.#atLimitSince = undefined;
    if (this.#left < 0) this.#reachLimit(now);
    else if (this.#inTurn >= PER_TURN) this.#hold(0);
  }

  #reachLimit(now: number): void {
    this.#atLimitSince ??= now;
    if (now - this.#atLimitSince > PATIENCE_MS) this.#options.onFlood?.();
    this.#hold(PAUSE_MS);
  }

  #hold(ms: number): void {
    if (this.#stopPause) return;
    this.#options.pause();
    this.#stopPause = this.#clock.after(ms, () => this.#goOn());
  }

  #goOn(): void {
    this.#stopPause = undefined;
    this.#inTurn = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { message, sent } of waiting) this.take(message, sent);
    if (!this.#stopPause) this.#options.resume();
  }
}
