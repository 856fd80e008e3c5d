/**
 * Those who stay: streams and sockets outlive the moment in which their key was looked at. Every few seconds it is looked
 * at again, and who has come with one that was revoked since is cut off, as the next request would be refused.
 */
import type { Duplex } from "node:stream";
import { Crowd, type CrowdMember } from "../../crowd.ts";
import { ZaguanError } from "../../errors.ts";

const LOOK_MS = 5_000;

/** Rejects when the key is no longer one. */
type Recheck = () => unknown;

/** One request on its connection. One does not wait for the next, so that each is looked at for itself. */
export class Guest implements CrowdMember {
  place = -1;
  readonly connection: Duplex;
  readonly since: number;
  readonly recheck: Recheck;

  constructor(connection: Duplex, recheck: Recheck, since: number) {
    this.connection = connection;
    this.recheck = recheck;
    this.since = since;
  }
}

export class Staying {
  readonly #guests = new Crowd<Guest>();
  #timer: NodeJS.Timeout | undefined;

  enter(connection: Duplex, recheck: Recheck, since: number = performance.now()): Guest {
    const guest = new Guest(connection, recheck, since);
    // One that has gone already will not go again.
    if (connection.destroyed) return guest;
    this.#guests.add(guest);
    this.#timer ??= setInterval(() => void this.look(), LOOK_MS).unref();
    return guest;
  }

  leave(guest: Guest): void {
    this.#guests.delete(guest);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Requests that just began have just been looked at. */
  async look(now: number = performance.now()): Promise<void> {
    const looks: Promise<void>[] = [];
    for (const guest of this.#guests.all()) {
      // Node tells nothing of requests that still stood in line when their connection was lost.
      if (guest.connection.destroyed) this.#guests.delete(guest);
      else if (now - guest.since >= LOOK_MS) looks.push(this.#look(guest));
    }
    await Promise.all(looks);
  }

  async #look({ connection, recheck }: Guest): Promise<void> {
    try {
      await recheck();
    } catch (cause) {
      // A store that does not answer is no reason to send anybody away.
      if (cause instanceof ZaguanError && cause.row.http === 401) connection.destroy();
    }
  }
}
