/**
 * Checks again the keys of long requests. Streams and sockets outlive the moment in which their key was checked: every few
 * seconds it is checked again, and a connection whose key was revoked since is cut, as its next request would be refused.
 */
import type { Duplex } from "node:stream";
import { ZaguanError } from "../../errors.ts";
import { type IndexedMember, IndexedSet } from "../../indexed-set.ts";

const LOOK_MS = 5_000;

/** Rejects when the key is no longer one. */
type Recheck = () => unknown;

/** One request on its connection. HTTP requests may be pipelined, so each is checked by itself. */
export class CheckedRequest implements IndexedMember {
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

export class KeyRechecks {
  readonly #requests = new IndexedSet<CheckedRequest>();
  #timer: NodeJS.Timeout | undefined;

  enter(connection: Duplex, recheck: Recheck, since: number = performance.now()): CheckedRequest {
    const request = new CheckedRequest(connection, recheck, since);
    // A destroyed connection never tells that it closed.
    if (connection.destroyed) return request;
    this.#requests.add(request);
    this.#timer ??= setInterval(() => void this.look(), LOOK_MS).unref();
    return request;
  }

  leave(request: CheckedRequest): void {
    this.#requests.delete(request);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Checks all keys but those of requests that just began, which were just checked. */
  async look(now: number = performance.now()): Promise<void> {
    const looks: Promise<void>[] = [];
    for (const request of this.#requests.all()) {
      // Node tells nothing of requests that still stood in line when their connection was lost.
      if (request.connection.destroyed) this.#requests.delete(request);
      else if (now - request.since >= LOOK_MS) looks.push(this.#look(request));
    }
    await Promise.all(looks);
  }

  async #look({ connection, recheck }: CheckedRequest): Promise<void> {
    try {
      await recheck();
    } catch (cause) {
      // Only a refused key cuts the connection; a store that does not answer does not.
      if (cause instanceof ZaguanError && cause.row.http === 401) connection.destroy();
    }
  }
}
