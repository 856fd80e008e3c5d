/**
 * Those who stay: streams and sockets outlive the moment in which their key was looked at. Every few seconds it is looked
 * at again, and who has come with one that was revoked since is cut off, as the next request would be refused.
 */
import type { Duplex } from "node:stream";
import { ZaguanError } from "../../errors.ts";

const LOOK_MS = 5_000;

/** One request on its connection. One does not wait for the next, so that each is looked at for itself. */
export interface Asking {
  readonly socket: Duplex;
}

interface Guest {
  readonly since: number;
  /** Rejects when the key is no longer one. */
  recheck(): unknown;
}

export class Staying {
  readonly #guests = new Map<Asking, Guest>();
  #timer: NodeJS.Timeout | undefined;

  enter(asking: Asking, recheck: Guest["recheck"], since: number = performance.now()): void {
    // One that has gone already will not go again.
    if (asking.socket.destroyed) return;
    this.#guests.set(asking, { since, recheck });
    this.#timer ??= setInterval(() => void this.look(), LOOK_MS).unref();
  }

  leave(asking: Asking): void {
    this.#guests.delete(asking);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Requests that just began have just been looked at. */
  async look(now: number = performance.now()): Promise<void> {
    const looks: Promise<void>[] = [];
    for (const [asking, guest] of this.#guests) {
      // Node tells nothing of requests that still stood in line when their connection was lost.
      if (asking.socket.destroyed) this.#guests.delete(asking);
      else if (now - guest.since >= LOOK_MS) looks.push(this.#look(asking.socket, guest));
    }
    await Promise.all(looks);
  }

  async #look(connection: Duplex, guest: Guest): Promise<void> {
    try {
      await guest.recheck();
    } catch (cause) {
      // A store that does not answer is no reason to send anybody away.
      if (cause instanceof ZaguanError && cause.row.http === 401) connection.destroy();
    }
  }
}
