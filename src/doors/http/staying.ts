/**
 * Those who stay: streams and sockets outlive the moment in which their key was looked at. Every few seconds it is looked
 * at again, and who has come with one that was revoked since is cut off, as the next request would be refused.
 */
import type { Duplex } from "node:stream";
import { ZaguanError } from "../../errors.ts";

const LOOK_MS = 5_000;

/** One connection; `recheck` is there while somebody with a key is on it, and rejects when the key is no longer one. */
export interface Seat {
  since: number;
  recheck: (() => unknown) | undefined;
}

export class Staying {
  readonly #seats = new Map<Duplex, Seat>();
  #timer: NodeJS.Timeout | undefined;

  /** A connection was made. Nothing is done for a request but to write down, on its seat, who came. */
  enter(connection: Duplex): Seat {
    const seat: Seat = { since: 0, recheck: undefined };
    this.#seats.set(connection, seat);
    connection.once("close", () => this.#seats.delete(connection));
    this.#timer ??= setInterval(() => void this.look(), LOOK_MS).unref();
    return seat;
  }

  at(connection: Duplex): Seat | undefined {
    return this.#seats.get(connection);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Requests that just began have just been looked at. */
  async look(now: number = performance.now()): Promise<void> {
    const long = [...this.#seats].filter(([, { recheck, since }]) => recheck && now - since >= LOOK_MS);
    await Promise.all(long.map(([connection, { recheck }]) => this.#look(connection, recheck)));
  }

  async #look(connection: Duplex, recheck: Seat["recheck"]): Promise<void> {
    try {
      await recheck?.();
    } catch (cause) {
      // A store that does not answer is no reason to send anybody away.
      if (cause instanceof ZaguanError && cause.code === "UNAUTHORIZED") connection.destroy();
    }
  }
}
