/**
 * One event stream of a session as the 2025 revisions mean it: it outlives the connection that carries it. Every event has
 * an id (`<stream>-<number>`), what was said is kept for a while, and a client that lost its connection goes on over
 * another one from the last id that it saw.
 */
import type { ReplayLog } from "../../core/shared/replay-log.ts";
import type { EventStream } from "../http/event-stream.ts";

/** Official clients try twice to come back, this far apart: twice as long is what an outage may last. */
const RETRY_MS = 2_000;
/** For an answer that was sent whole but may have been lost on its way. */
const SENT_MS = 30_000;
/** For an answer that came while nobody was connected, or while the connection broke. */
const UNSENT_MS = 300_000;

interface StreamOptions {
  readonly name: string;
  readonly log: ReplayLog;
  /** Whether the client knows events without data that only tell it where to come back to. */
  readonly primes: boolean;
}

export class ResumableStream {
  readonly #options: StreamOptions;
  #connection: EventStream | undefined;
  /** Of the newest event; 0 is the place before the first. */
  #number = 0;
  #isFinished = false;
  #isSent = false;
  #aloneSince = Date.now();

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get isConnected(): boolean {
    return this.#connection?.isOpen ?? false;
  }

  /** False where the client has seen all that there is and ever will be, or claims to have seen more. */
  hasMoreAfter(number: number): boolean {
    if (number > this.#number) return false;
    return !this.#isFinished || this.#options.log.after(number).length > 0;
  }

  /** Goes on over this connection after the event of that number. One that still carries the stream is let go. */
  connect(connection: EventStream, after: number): void {
    const { log, primes } = this.#options;
    const former = this.#connection;
    this.#connection = connection;
    former?.end();
    connection.onClose((isWhole) => this.#lost(connection, isWhole));
    // Each time anew: official clients forget the id they came with, should this connection break before another comes.
    if (primes) connection.prime(this.#idOf(after), RETRY_MS);
    connection.catchUp(log.after(after).map(({ number, text }) => ({ id: this.#idOf(number), text })));
    if (this.#isFinished) connection.end();
  }

  /** False if it reaches nobody: the client is gone, and was never told an id to come back with. */
  send(message: string): boolean {
    const isKnown = this.#options.primes || this.#number > 0;
    if (this.#isFinished || !(this.isConnected || isKnown)) return false;
    this.#number++;
    this.#options.log.keep(this.#number, message);
    this.#connection?.send(message, "message", this.#idOf(this.#number));
    return true;
  }

  /** Nothing more will be said. */
  finish(): void {
    this.#isFinished = true;
    this.#aloneSince = Date.now();
    this.#connection?.end();
  }

  /** How long nobody has been connected. */
  aloneMs(now: number): number {
    return this.#connection ? 0 : now - this.#aloneSince;
  }

  /** True once nobody is expected to come back for a finished stream. */
  isOver(now: number): boolean {
    if (!this.#isFinished || this.#connection) return false;
    return this.#options.log.size === 0 || this.aloneMs(now) > (this.#isSent ? SENT_MS : UNSENT_MS);
  }

  /** What was said is no longer kept; a connection stays until its end. */
  forget(): void {
    this.#options.log.close();
  }

  #lost(connection: EventStream, isWhole: boolean): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#aloneSince = Date.now();
    this.#isSent = this.#isFinished && isWhole;
  }

  #idOf(number: number): string {
    return `${this.name}-${number}`;
  }
}
