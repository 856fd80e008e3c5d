/**
 * Tells a source that answers nothing from one that is only slow. Five failures in a row, or more than half of at least
 * twenty within ten seconds, make it suspect: then it is asked something harmless. If that fails too, the breaker opens and
 * calls are refused at once; now and then it is asked again, and closes when it answers. Nobody's call is the probe.
 */
import type { Clock, Random } from "../ports.ts";

const FAILURES_IN_A_ROW = 5;
const WINDOW_MS = 10_000;
const LEAST_IN_WINDOW = 20;
const OPEN_MS = 5_000;
const OPEN_MS_MAX = 60_000;
const JITTER = 0.2;
/** How long the harmless question may take. */
const PROBE_MS = 2_000;

interface BreakerPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Asks the source something that changes nothing; rejects if it does not answer. */
  probe(limitMs: number): Promise<unknown>;
  /** It opened (true) or closed. */
  onChange(open: boolean): void;
}

export class Breaker {
  readonly #ports: BreakerPorts;
  #inARow = 0;
  #windowStart = 0;
  #asked = 0;
  #failed = 0;
  #opens = 0;
  #nextProbeAt = 0;
  #isOpen = false;
  #isProbing = false;
  #stopTimer: (() => void) | undefined;

  constructor(ports: BreakerPorts) {
    this.#ports = ports;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Milliseconds until it is asked again. */
  get retryAfterMs(): number {
    return Math.max(0, this.#nextProbeAt - this.#ports.clock.now());
  }

  succeeded(): void {
    this.#inARow = 0;
    this.#asked++;
    if (this.#isOpen) this.close();
  }

  /** A call failed in a way that speaks of the source and not of the call. */
  failed(): void {
    const now = this.#ports.clock.now();
    if (now - this.#windowStart > WINDOW_MS) this.#startWindow(now);
    this.#inARow++;
    this.#asked++;
    this.#failed++;
    const isMostly = this.#asked >= LEAST_IN_WINDOW && this.#failed * 2 > this.#asked;
    if (this.#inARow >= FAILURES_IN_A_ROW || isMostly) this.#suspect();
  }

  /** It answers again, as somebody else found out. */
  close(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#inARow = 0;
    this.#opens = 0;
    this.#startWindow(this.#ports.clock.now());
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ports.onChange(false);
  }

  /** The source is gone for good. */
  end(): void {
    this.#stopTimer?.();
    this.#isProbing = true;
  }

  #startWindow(now: number): void {
    this.#windowStart = now;
    this.#asked = 0;
    this.#failed = 0;
  }

  #suspect(): void {
    if (this.#isOpen || this.#isProbing) return;
    this.#probe();
  }

  #probe(): void {
    if (this.#isProbing) return;
    this.#isProbing = true;
    const done = (isAlive: boolean): void => {
      this.#isProbing = false;
      if (isAlive) this.close();
      else this.#open();
    };
    this.#ports.probe(PROBE_MS).then(
      () => done(true),
      () => done(false),
    );
  }

  #open(): void {
    this.#opens++;
    const jitter = 1 + JITTER * (2 * this.#ports.random() - 1);
    const pauseMs = Math.min(OPEN_MS * this.#opens, OPEN_MS_MAX) * jitter;
    this.#nextProbeAt = this.#ports.clock.now() + pauseMs;
    this.#stopTimer = this.#ports.clock.after(pauseMs, () => this.#probe());
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#ports.onChange(true);
  }
}
