/**
 * What sources say of their lists, for clients of one server: the first word of a kind is passed on at once, and those that
 * follow within a moment as one. A source may say it ten thousand times, and each would make every client ask again.
 */
import type { Payload } from "../protocol/json/payload.ts";
import type { Clock } from "./ports.ts";

const GATHER_MS = 100;

type Tell = (source: string, method: string, params: Payload) => void;

/** One kind of change of one source, after it was told. */
interface Told {
  readonly source: string;
  readonly stop: () => void;
  /** What was said since, if anything was. */
  params: Payload | undefined;
}

export class ListChanges {
  readonly #clock: Clock;
  readonly #tell: Tell;
  readonly #told = new Map<string, Told>();

  constructor(clock: Clock, tell: Tell) {
    this.#clock = clock;
    this.#tell = tell;
  }

  add(source: string, method: string, params: Payload): void {
    const key = `${source}\n${method}`;
    const told = this.#told.get(key);
    if (told) {
      told.params = params;
      return;
    }
    const stop = this.#clock.after(GATHER_MS, () => {
      const again = this.#told.get(key)?.params;
      this.#told.delete(key);
      if (again) this.add(source, method, again);
    });
    this.#told.set(key, { source, stop, params: undefined });
    this.#tell(source, method, params);
  }

  forget(source: string): void {
    for (const [key, told] of this.#told) {
      if (told.source !== source) continue;
      told.stop();
      this.#told.delete(key);
    }
  }

  end(): void {
    for (const { stop } of this.#told.values()) stop();
    this.#told.clear();
  }
}
