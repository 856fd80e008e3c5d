/**
 * Whether a server can still be reached: some connects in a row that fail say no. It is not said as long as somebody waits
 * for an answer that may yet come over a connection that stands (a server on its way out takes no new ones), because
 * giving up would cut it.
 */

const FAILURES_TO_GIVE_UP = 3;

export class Reachability {
  readonly #onLost: (reason: string) => void;
  #failures = 0;
  #awaited = 0;
  #reason = "";

  constructor(onLost: (reason: string) => void) {
    this.#onLost = onLost;
  }

  /** The server answered, be it with a refusal. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** Nothing could be sent. */
  failed(reason: string): void {
    this.#failures++;
    this.#reason = reason;
    this.#judge();
  }

  /** An answer is on its way; `arrived` must tell, once, when it has come or been lost. */
  expect(): void {
    this.#awaited++;
  }

  arrived(): void {
    this.#awaited--;
    this.#judge();
  }

  #judge(): void {
    if (this.#failures >= FAILURES_TO_GIVE_UP && this.#awaited === 0) this.#onLost(this.#reason);
  }
}
