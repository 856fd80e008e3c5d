/**
 * What was written to clients and not read by them yet, over all connections of the port. Each by itself has a bound and a
 * time; this one is for all of them together: when it is passed, those are cut first who have not read a part of what they hold
 * for the longest time. A part, because whoever reads a byte now and then would else look fresher than one who rests for a moment.
 */
import type { Socket } from "node:net";
import { holdHeapBeside } from "../../heap.ts";

/** A response, or the socket of a connection that became something else than HTTP. */
export interface Reader {
  readonly writableLength: number;
  /** Nothing of what it still holds will ever leave. */
  readonly destroyed: boolean;
  destroy(): unknown;
}

/** So much of a stream is not counted: what is written on it leaves a moment later, and it has a bound of its own. */
const LARGE = 65_536;

const ofConnection = new WeakMap<Socket, UnreadAnswers>();

/** Of what a reader holds, so much must have left before it counts as read: an eighth. */
const PART = 1 / 8;

interface Backlog {
  bytes: number;
  /** The most that it has held since `readAt`. */
  most: number;
  /** When a part of it was last seen to have left. */
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
      const bytes = reader.destroyed ? 0 : reader.writableLength;
      backlog.bytes = bytes;
      if (bytes <= backlog.most * (1 - PART)) {
        backlog.most = bytes;
        backlog.readAt = this.#now();
      }
      if (bytes === 0) this.#behind.delete(reader);
      else all += bytes;
    }
    return all;
  }

  wrote(reader: Reader): void {
    const bytes = reader.writableLength;
    const backlog = this.#behind.get(reader);
    if (backlog) backlog.most = Math.max(backlog.most, bytes);
    else this.#behind.set(reader, { bytes, most: bytes, readAt: this.#now() });
    const all = this.bytes;
    holdHeapBeside(all, () => this.bytes);
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
