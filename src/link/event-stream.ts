/**
 * A GET event stream that outlives its connections: when one ends, the next is asked to go on after the last event.
 * Listens for what a server says unasked, or takes up an answer whose stream was cut.
 */
import type { IncomingHttpHeaders } from "node:http";
import { type Body, EventBody, mediaType, refuseEncoding, type StreamProgress } from "./http-body.ts";
import type { AnswerReader, Cuttable, Failure } from "./http-exchange.ts";
import { Enough } from "./http-failures.ts";
import type { MessageHandlers } from "./link.ts";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** A server may ask for less; it does not get a busy loop. */
const SHORTEST_WAIT_MS = 100;
const LONGEST_RETRY_MS = 300_000;

interface EventStreamOptions {
  readonly name: string;
  readonly maxBytes: number;
  readonly handlers: MessageHandlers;
  /** Attempts in a row that may bring nothing. */
  readonly maxFailures: number;
  readonly progress: StreamProgress;
  /** Sends the GET. */
  open(lastEventId: string | undefined, reader: AnswerReader): Cuttable;
  /** Asked before every new attempt, and after events: a stream that brought what was wanted is not kept. */
  isWanted(): boolean;
  /** The server sends a stream; for every connection. */
  onOpen?(): void;
  /** Exactly once: stopped, not wanted any more, or not to be had; then with the status by which it was refused. */
  onOver(refusal?: number): void;
}

export class EventStream {
  readonly #options: EventStreamOptions;
  #exchange: Cuttable | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isOver = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  start(): void {
    const { open, progress } = this.#options;
    if (this.#isOver) return;
    this.#exchange = open(
      progress.lastEventId,
      new Attempt(this.#options, (...outcome) => this.#afterAttempt(...outcome)),
    );
  }

  startLater(): void {
    this.#timer = setTimeout(() => this.start(), this.#waitMs());
  }

  stop(refusal?: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#exchange?.cut(new Error("stopped"));
    this.#options.onOver(refusal);
  }

  #afterAttempt(outcome: Outcome, refusal: number | undefined): void {
    this.#exchange = undefined;
    if (this.#isOver) return;
    this.#failures = outcome === "events" ? 0 : this.#failures + 1;
    const isHopeless = outcome === "refused" || this.#failures >= this.#options.maxFailures;
    if (isHopeless || !this.#options.isWanted()) this.stop(refusal);
    else this.startLater();
  }

  #waitMs(): number {
    const asked = this.#options.progress.retryMs ?? FIRST_WAIT_MS;
    const first = Math.min(Math.max(asked, SHORTEST_WAIT_MS), LONGEST_RETRY_MS);
    const doublings = Math.min(Math.max(this.#failures - 1, 0), 10);
    return Math.min(first * 2 ** doublings, Math.max(LONGEST_WAIT_MS, first));
  }
}

/** "nothing": the connection failed or brought no event; "refused": asking again cannot help. */
type Outcome = "events" | "nothing" | "refused";

/** Asking again later may help. The first: the server has not noticed yet that our last stream is gone. */
const LATER: ReadonlySet<number> = new Set([409, 429]);

class Attempt implements AnswerReader {
  readonly #options: EventStreamOptions;
  readonly #onOutcome: (outcome: Outcome, refusal: number | undefined) => void;
  #outcome: Outcome = "nothing";
  #refusal: number | undefined;
  #body: Body | undefined;

  constructor(options: EventStreamOptions, onOutcome: (outcome: Outcome, refusal: number | undefined) => void) {
    this.#options = options;
    this.#onOutcome = onOutcome;
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    if (LATER.has(status) || status >= 500) throw new Error(`HTTP ${status}`);
    this.#outcome = "refused";
    this.#refusal = status;
    refuseEncoding(headers, this.#options.name);
    if (status !== 200 || mediaType(headers) !== "text/event-stream") throw new Error(`no stream: HTTP ${status}`);
    this.#outcome = "nothing";
    this.#refusal = undefined;
    this.#body = new EventBody(this.#options, this.#options.progress);
    this.#options.onOpen?.();
  }

  onData(chunk: Uint8Array): void {
    const before = this.#options.progress.events;
    this.#body?.push(chunk);
    if (this.#options.progress.events === before) return;
    this.#outcome = "events";
    if (!this.#options.isWanted()) throw new Enough("it brought what was wanted");
  }

  onEnd(_failure: Failure | undefined): void {
    this.#body?.end();
    this.#onOutcome(this.#outcome, this.#refusal);
  }
}
