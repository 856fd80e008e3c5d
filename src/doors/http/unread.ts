/**
 * What was written to clients and not read by them yet, over all connections of the port. Each by itself has a bound and a
 * time; this one is for all of them together: when it is passed, those who have read nothing for the longest time are cut.
 */
import type { Socket } from "node:net";
import { holdHeapBeside } from "../../heap.ts";

/** A response, or the socket of a connection that became something else than HTTP. */
export interface Reader {
  readonly writableLength: number;
  destroy(): unknown;
}

/** So much of a stream is not counted: what is written on it leaves a moment later, and it has a bound of its own. */
const LARGE = 65_536;

const ofConnection = new WeakMap<Socket, UnreadAnswers>();

interface Backlog {
  bytes: number;
  /** When some of it was last seen to have left. */
  readAt: number;
}

export class UnreadAnswers {
  readonly #most: () => number;
  readonly #now: () => number;
  readonly #behind = new Map<Reader, Backlog>();

  /** @param most bytes, asked whenever it matters */
  constructor(most: () => number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  /** What is written on this connection is counted here. */
  watch(socket: Socket): void {
    ofConnection.set(socket, this);
  }

  get bytes(): number {
    let all = 0;
    for (const [reader, backlog] of this.#behind) {
      const bytes = reader.writableLength;
      if (bytes < backlog.bytes) backlog.readAt = this.#now();
      backlog.bytes = bytes;
      if (bytes === 0) this.#behind.delete(reader);
      else all += bytes;
    }
    return all;
  }

  wrote(reader: Reader): void {
    const backlog = this.#behind.get(reader);
    // Only the size is noted here: whether some of it was read is seen at the next look.
    if (backlog) backlog.bytes = reader.writableLength;
    else this.#behind.set(reader, { bytes: reader.writableLength, readAt: this.#now() });
    const all = this.bytes;
    holdHeapBeside(all);
    const over = all - this.#most();
    if (over > 0) this.#cutSlowest(over);
  }

  #cutSlowest(over: number): void {
    let left = over;
    for (const [reader, { bytes }] of [...this.#behind].sort(([, a], [, b]) => a.readAt - b.readAt)) {
      if (left <= 0) return;
      left -= bytes;
      this.#behind.delete(reader);
      reader.destroy();
    }
  }
}

/** To be called after every write on a stream that may be large. */
export function hasWritten(reader: Reader, socket: Socket): void {
  if (reader.writableLength > LARGE) isUnread(reader, socket);
}

/** To be called where an answer was written and not all of it has left. */
export function isUnread(reader: Reader, socket: Socket): void {
  ofConnection.get(socket)?.wrote(reader);
}
