/**
 * Those who stay: streams and sockets outlive the moment in which their key was looked at. Every few seconds it is looked
 * at again, and who has come with one that was revoked since is cut off, as the next request would be refused.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { ZaguanError } from "../../errors.ts";

const LOOK_MS = 5_000;

/** One request that somebody made with a key. */
interface Guest {
  readonly since: number;
  /** Rejects when the key is no longer one. */
  recheck(): unknown;
}

export class Staying {
  /** By connection; one request does not wait for the next, so that each is looked at for itself. */
  readonly #guests = new Map<Duplex, Map<IncomingMessage, Guest>>();
  #timer: NodeJS.Timeout | undefined;

  enter(request: IncomingMessage, recheck: Guest["recheck"], since: number = performance.now()): void {
    // One that has gone already will not go again.
    if (request.socket.destroyed) return;
    const guests = this.#guests.get(request.socket) ?? this.#begin(request.socket);
    guests.set(request, { since, recheck });
  }

  leave(request: IncomingMessage): void {
    this.#guests.get(request.socket)?.delete(request);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Requests that just began have just been looked at. */
  async look(now: number = performance.now()): Promise<void> {
    const all = [...this.#guests].flatMap(([connection, guests]) =>
      [...guests.values()].map((guest) => ({ connection, guest })),
    );
    const long = all.filter(({ guest }) => now - guest.since >= LOOK_MS);
    await Promise.all(long.map(({ connection, guest }) => this.#look(connection, guest)));
  }

  /** Node tells nothing of requests that still stood in line when their connection was lost. */
  #begin(connection: Duplex): Map<IncomingMessage, Guest> {
    const guests = new Map<IncomingMessage, Guest>();
    this.#guests.set(connection, guests);
    connection.once("close", () => this.#guests.delete(connection));
    this.#timer ??= setInterval(() => void this.look(), LOOK_MS).unref();
    return guests;
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
