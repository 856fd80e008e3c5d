/** Keeps one connection alive: makes the next one when it ends, for ever, with pauses that grow and are never the same for two nodes. */
import type { BusState } from "./bus.ts";
import { BusError } from "./bus-error.ts";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

export interface Ended {
  onEnd(reason: string): void;
}

/** Makes a connection and tells `onEnd` once when it is gone; rejects with an error whose message can be shown, soon after the signal. */
type Dial<C> = (ended: Ended, signal: AbortSignal) => Promise<C>;

export class KeptConnection<C extends { close(): Promise<void> }> {
  readonly #dial: Dial<C>;
  readonly #onChange: () => void;
  #current: C | undefined;
  #reason: string | undefined;
  #told: BusState["link"] = "away";
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #dialling: Promise<unknown> | undefined;

  constructor(dial: Dial<C>, onChange: () => void) {
    this.#dial = dial;
    this.#onChange = onChange;
  }

  /** Undefined while there is none. */
  get current(): C | undefined {
    return this.#current;
  }

  get state(): BusState {
    if (this.#isClosed) return { link: "closed" };
    return { link: this.#current ? "connected" : "away", reason: this.#reason };
  }

  /** The first connection; rejects where it cannot be made. */
  async open(): Promise<void> {
    let end: string | undefined;
    const onEnd = (reason: string): void => {
      end = reason;
      this.#lose(reason);
    };
    const connection = await this.#dial({ onEnd }, this.#closing.signal);
    if (end !== undefined) throw new BusError("unreachable", end);
    if (this.#isClosed) return connection.close();
    this.#current = connection;
    this.#change(undefined);
  }

  /** Something is not as it should be, although the connection stands. */
  complain(reason: string): void {
    this.#change(reason);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#dialling;
    await this.#current?.close();
    this.#current = undefined;
    this.#onChange();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #lose(reason: string): void {
    // A connection that ends before it is ours is told by the rejection of `open`.
    if (this.#isClosed || !this.#current) return;
    this.#current = undefined;
    this.#change(reason);
    this.#retryLater(0);
  }

  #retryLater(failures: number): void {
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
    this.#timer = setTimeout(
      () => {
        this.#dialling = this.#retry(failures);
      },
      pause * (0.5 + Math.random() / 2),
    );
  }

  async #retry(failures: number): Promise<void> {
    try {
      await this.open();
    } catch (cause) {
      if (this.#isClosed) return;
      this.#change(cause instanceof Error ? cause.message : "no connection");
      this.#retryLater(Math.min(failures + 1, 10));
    }
  }

  #change(reason: string | undefined): void {
    const { link } = this.state;
    if (reason === this.#reason && link === this.#told) return;
    this.#reason = reason;
    this.#told = link;
    this.#onChange();
  }
}
