/**
 * What was said on one stream, kept for a client that may come back for it. A log is bounded by itself, and by each shelf
 * it stands on together with others: the one that has been silent longest gives way first. The newest message of all is
 * kept however large it is, since the answer to a call is worth more than what was said on the way to it.
 */

interface LoggedMessage {
  readonly number: number;
  readonly text: string;
  readonly bytes: number;
}

export interface LogLimits {
  readonly messages: number;
  readonly bytes: number;
}

export class EventLog {
  readonly #limits: LogLimits;
  readonly #shelves: readonly Shelf[];
  readonly #messages: LoggedMessage[] = [];
  #bytes = 0;
  #isClosed = false;

  constructor(limits: LogLimits, shelves: readonly Shelf[]) {
    this.#limits = limits;
    this.#shelves = shelves;
  }

  get size(): number {
    return this.#messages.length;
  }

  keep(number: number, text: string): void {
    if (this.#isClosed) return;
    const message = { number, text, bytes: Buffer.byteLength(text) };
    this.#messages.push(message);
    this.#bytes += message.bytes;
    for (const shelf of this.#shelves) shelf.add(this, message);
    while (this.size > 1 && (this.size > this.#limits.messages || this.#bytes > this.#limits.bytes)) this.dropOldest();
    for (const shelf of this.#shelves) shelf.trim();
  }

  /** What is left of what came after the message of this number. */
  after(number: number): readonly LoggedMessage[] {
    return this.#messages.filter((message) => message.number > number);
  }

  dropOldest(): void {
    const oldest = this.#messages.shift();
    if (!oldest) return;
    this.#bytes -= oldest.bytes;
    for (const shelf of this.#shelves) shelf.remove(this, oldest);
  }

  /** Nobody will come back: what is kept is dropped, and nothing more is kept. */
  close(): void {
    this.#isClosed = true;
    while (this.size > 0) this.dropOldest();
  }
}

/** A limit that several logs share. */
export class Shelf {
  readonly #limits: LogLimits;
  /** Those that keep something, the longest silent first. */
  readonly #logs = new Set<EventLog>();
  #messages = 0;
  #bytes = 0;

  constructor(limits: LogLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(log: EventLog, message: LoggedMessage): void {
    this.#logs.delete(log);
    this.#logs.add(log);
    this.#messages++;
    this.#bytes += message.bytes;
  }

  remove(log: EventLog, message: LoggedMessage): void {
    this.#messages--;
    this.#bytes -= message.bytes;
    if (log.size === 0) this.#logs.delete(log);
  }

  /** Drops until the limit holds or only the newest message is left. */
  trim(): void {
    for (const log of this.#logs) {
      while (log.size > 0 && this.#messages > 1 && this.#isOver()) log.dropOldest();
      if (!this.#isOver()) return;
    }
  }

  #isOver(): boolean {
    return this.#messages > this.#limits.messages || this.#bytes > this.#limits.bytes;
  }
}
