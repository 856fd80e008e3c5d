/**
 * Makes identical reads that are under way at the same time one call. Everybody who waits can leave alone; the shared
 * work ends early only when the last one has left.
 */
import type { CancelSignal } from "../../light-abort.ts";

interface Flight<V> {
  readonly result: Promise<V>;
  readonly control: AbortController;
  waiting: number;
}

export class SingleFlight<V> {
  readonly #flights = new Map<string, Flight<V>>();

  /** Joins the call of this key that is under way, or starts one. Rejects with `signal.reason` once that aborts. */
  run(key: string, start: (signal: CancelSignal) => Promise<V>, signal: CancelSignal): Promise<V> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const flight = this.#flights.get(key) ?? this.#takeOff(key, start);
    flight.waiting++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#leave(key, flight, signal.reason);
        reject(signal.reason);
      };
      const landed = () => signal.removeEventListener("abort", leave);
      signal.addEventListener("abort", leave, { once: true });
      flight.result.finally(landed).then(resolve, reject);
    });
  }

  /** How many different calls are under way. */
  get size(): number {
    return this.#flights.size;
  }

  #takeOff(key: string, start: (signal: CancelSignal) => Promise<V>): Flight<V> {
    const control = new AbortController();
    // Through an async function, so that a `start` that throws at once is a rejection like any other.
    const result = (async () => start(control.signal))();
    const flight: Flight<V> = { result, control, waiting: 0 };
    this.#flights.set(key, flight);
    const landed = () => this.#forget(key, flight);
    result.then(landed, landed);
    return flight;
  }

  #leave(key: string, flight: Flight<V>, reason: unknown): void {
    if (--flight.waiting > 0) return;
    // First out of the map: who comes now must not join a call that is being given up.
    this.#forget(key, flight);
    flight.control.abort(reason);
  }

  #forget(key: string, flight: Flight<V>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
