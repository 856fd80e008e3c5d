/** Asks a house now and then whether it is still there, measures how long it takes, and tells when no answer comes. */
import type { Clock } from "../../core/ports.ts";

interface HeartbeatOptions {
  readonly clock: Clock;
  readonly pingMs: number;
  readonly pongMs: number;
  /** Resolves with the answer. */
  ping(): Promise<unknown>;
  /** No answer came in time. */
  onSilence(): void;
}

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #lastMs: number | undefined;
  #beating: Promise<void> | undefined;
  #stopTimer: () => void = () => {};
  #isStopped = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** The last round trip in milliseconds. */
  get lastMs(): number | undefined {
    return this.#lastMs;
  }

  /** Once now, for everybody who asks meanwhile. Rejects if no answer comes. */
  beat(): Promise<void> {
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  start(): void {
    this.#stopTimer = this.#options.clock.after(this.#options.pingMs, () => {
      const next = (): void => {
        if (!this.#isStopped) this.start();
      };
      this.beat().then(next, next);
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer();
  }

  async #beat(): Promise<void> {
    const { clock, pongMs } = this.#options;
    const sentAt = clock.now();
    const { promise: silence, reject } = Promise.withResolvers<never>();
    const stop = clock.after(pongMs, () => {
      this.#options.onSilence();
      reject(new Error("no answer to a ping"));
    });
    try {
      await Promise.race([this.#options.ping(), silence]);
      this.#lastMs = Math.round((clock.now() - sentAt) * 100) / 100;
    } finally {
      stop();
    }
  }
}
