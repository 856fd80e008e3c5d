/**
 * What was said on the event streams of sessions, kept for clients that come back for it: the port, and the implementation
 * for one process. Each log is bounded by itself, with the others of its session, and with those of all sessions: the one
 * that has been silent longest gives way first. The newest message of all is kept however large it is, since the answer to
 * a call is worth more than what was said on the way to it.
 */

export interface ReplayLogs {
  /** For the streams of one session. */
  ofSession(sessionId: string): SessionLogs;
}

export interface SessionLogs {
  /** The name is unique among all sessions. */
  open(stream: string): ReplayLog;
}

export interface ReplayLog {
  /** How many messages are kept. */
  readonly size: number;
  /** Numbers only grow. */
  keep(number: number, text: string): void;
  /** What is left of what came after the message of this number, in order. */
  after(number: number): readonly LoggedMessage[];
  /** Nobody will come back: what is kept is dropped, and nothing more is kept. */
  close(): void;
}

interface LoggedMessage {
  readonly number: number;
  readonly text: string;
  readonly bytes: number;
}

interface LogLimits {
  readonly messages: number;
  readonly bytes: number;
}

interface ReplayLimits {
  readonly stream: LogLimits;
  readonly session: LogLimits;
  /** There may be very many sessions. */
  readonly all: LogLimits;
}

const LIMITS: ReplayLimits = {
  stream: { messages: 256, bytes: 524_288 },
  session: { messages: 1_024, bytes: 4_194_304 },
  all: { messages: 65_536, bytes: 67_108_864 },
};

export class LocalReplayLogs implements ReplayLogs {
  readonly #limits: ReplayLimits;
  readonly #all: SharedLimit;

  constructor(limits: ReplayLimits = LIMITS) {
    this.#limits = limits;
    this.#all = new SharedLimit(limits.all);
  }

  /** Of all messages that are kept. */
  get bytes(): number {
    return this.#all.bytes;
  }

  ofSession(): SessionLogs {
    const shared = [new SharedLimit(this.#limits.session), this.#all];
    return { open: () => new LocalReplayLog(this.#limits.stream, shared) };
  }
}

class LocalReplayLog implements ReplayLog {
  readonly #limits: LogLimits;
  readonly #shared: readonly SharedLimit[];
  readonly #messages: LoggedMessage[] = [];
  #bytes = 0;
  #isClosed = false;

  constructor(limits: LogLimits, shared: readonly SharedLimit[]) {
    this.#limits = limits;
    this.#shared = shared;
  }

  get size(): number {
    return this.#messages.length;
  }

  keep(number: number, text: string): void {
    if (this.#isClosed) return;
    const message = { number, text, bytes: Buffer.byteLength(text) };
    this.#messages.push(message);
    this.#bytes += message.bytes;
    for (const limit of this.#shared) limit.add(this, message);
    while (this.size > 1 && (this.size > this.#limits.messages || this.#bytes > this.#limits.bytes)) this.dropOldest();
    for (const limit of this.#shared) limit.trim();
  }

  after(number: number): readonly LoggedMessage[] {
    return this.#messages.filter((message) => message.number > number);
  }

  dropOldest(): void {
    const oldest = this.#messages.shift();
    if (!oldest) return;
    this.#bytes -= oldest.bytes;
    for (const limit of this.#shared) limit.remove(this, oldest);
  }

  close(): void {
    this.#isClosed = true;
    while (this.size > 0) this.dropOldest();
  }
}

/** A limit that several logs share. */
class SharedLimit {
  readonly #limits: LogLimits;
  /** Those that keep something, the longest silent first. */
  readonly #logs = new Set<LocalReplayLog>();
  #messages = 0;
  #bytes = 0;

  constructor(limits: LogLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(log: LocalReplayLog, message: LoggedMessage): void {
    this.#logs.delete(log);
    this.#logs.add(log);
    this.#messages++;
    this.#bytes += message.bytes;
  }

  remove(log: LocalReplayLog, message: LoggedMessage): void {
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
