/**
 * Which era a server turned out to be of, for a while: a server with a handshake need not be asked again at every restart.
 * The newer era needs no memory, since the question that finds it is its greeting anyway. A memory that is wrong goes on
 * working (a server of both eras answers in both), so only time can retire it.
 */
import type { Clock } from "../../core/ports.ts";

const AN_HOUR_MS = 3_600_000;
/** A child that ended instead of answering may have ended for any reason: that is believed for a moment only. */
const SUSPICION_MS = 300_000;

export class EraMemory {
  #handshakeUntil = Number.NEGATIVE_INFINITY;

  isHandshake(clock: Clock): boolean {
    return clock.now() < this.#handshakeUntil;
  }

  rememberHandshake(clock: Clock): void {
    this.#handshakeUntil = clock.now() + AN_HOUR_MS;
  }

  suspectHandshake(clock: Clock): void {
    this.#handshakeUntil = clock.now() + SUSPICION_MS;
  }

  forget(): void {
    this.#handshakeUntil = Number.NEGATIVE_INFINITY;
  }
}
