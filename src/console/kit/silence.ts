/**
 * Notices when somebody who speaks all the time has stopped: a connection that was lost on the way (a laptop that slept, another
 * network) ends for a browser only after minutes. By the time of day, since other clocks stand still while a machine sleeps.
 */
export class Silence {
  readonly #over = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  #heardAt = Date.now();

  constructor(longestMs: number) {
    const look = (): void => {
      if (Math.abs(Date.now() - this.#heardAt) >= longestMs) this.#over.abort();
    };
    this.#timer = setInterval(look, longestMs / 4);
  }

  /** Aborted when it has lasted too long. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  heard(): void {
    this.#heardAt = Date.now();
  }

  /** Nobody listens any more. */
  end(): void {
    clearInterval(this.#timer);
  }
}
