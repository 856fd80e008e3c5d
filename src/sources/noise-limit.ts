/**
 * What a server says that is no message: a little is passed on to whoever watches, and too much of it ends a child process.
 */
import { type Ending, unfit } from "../link/ending.ts";
import type { ConnectContext } from "./source.ts";

const WINDOW_MS = 10_000;
const PASSED_ON = 50;
const TOO_MUCH = 5_000;

export class NoiseLimit {
  readonly #context: ConnectContext;
  readonly #end: () => void;
  #windowStart = 0;
  #count = 0;
  #exceeded = false;

  /** @param end ends the child; called once */
  constructor(context: ConnectContext, end: () => void = () => {}) {
    this.#context = context;
    this.#end = end;
  }

  add(line: string): void {
    const now = this.#context.clock.now();
    if (now - this.#windowStart > WINDOW_MS) {
      this.#windowStart = now;
      this.#count = 0;
    }
    this.#count++;
    if (this.#count <= PASSED_ON) this.#context.emit({ type: "source-noise", source: this.#context.name, line });
    if (this.#count <= TOO_MUCH || this.#exceeded) return;
    this.#exceeded = true;
    this.#end();
  }

  /** Why the child ended, if this was the reason; else what the link says. */
  ending(ending: Ending): Ending {
    return this.#exceeded ? unfit("flooded its output with what is no message") : ending;
  }
}
