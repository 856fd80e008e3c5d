/** Which way led to a server the last time: it is tried first for a while. */
import type { Clock } from "../../core/ports.ts";

export type Way = "streamable" | "bare" | "sse" | "websocket" | "websocket-path";

const AN_HOUR_MS = 3_600_000;

export class TransportMemory {
  #way: Way | undefined;
  #until = Number.NEGATIVE_INFINITY;

  recall(clock: Clock): Way | undefined {
    return clock.now() < this.#until ? this.#way : undefined;
  }

  remember(way: Way, clock: Clock): void {
    this.#way = way;
    this.#until = clock.now() + AN_HOUR_MS;
  }

  forget(): void {
    this.#way = undefined;
  }
}
