/**
 * The houses from the first who listens to the last: looked at a few times a second, since another process may change the
 * simulated one, and what changed is told to all. Nothing of it is left afterwards.
 */
import type { Clock } from "../../core/ports.ts";
import type { HouseListener, HouseView } from "../../doors/live/views.ts";
import type { Source } from "../../sources/source.ts";
import { WatchedHome } from "./watched-home.ts";

interface WatchOptions {
  readonly clock: Clock;
  house(): Promise<HouseView | null>;
  homes(): readonly Source[];
  /** Is told of a look that failed; of several in a row, of the first. */
  report(cause: unknown): void;
}

const LOOK_MS = 300;

export class HouseWatch {
  readonly #options: WatchOptions;
  readonly #listeners = new Set<HouseListener>();
  readonly #homes = new Map<string, WatchedHome>();
  /** Undefined until it was seen. */
  #house: HouseView | null | undefined;
  #stopTimer: () => void = () => {};
  #isFailing = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /**
   * Whoever comes is told how everything is, though it may have read that just now: what changed since must not be lost.
   * Never at once.
   */
  add(listener: HouseListener): void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) void this.#look();
    else queueMicrotask(() => this.#welcome(listener));
  }

  /** True if nobody is left. */
  delete(listener: HouseListener): boolean {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return false;
    this.#stopTimer();
    for (const home of this.#homes.values()) home.close();
    return true;
  }

  #welcome(listener: HouseListener): void {
    if (!this.#listeners.has(listener)) return;
    const house = this.#house;
    if (house !== undefined) this.#tell((each) => each.house(house), [listener]);
    for (const [name, { told: home }] of this.#homes) {
      if (home) this.#tell((each) => each.home({ name, home }), [listener]);
    }
  }

  async #look(): Promise<void> {
    try {
      this.#homePoller();
      await this.#lookAtHouse();
      this.#isFailing = false;
    } catch (cause) {
      if (!this.#isFailing && this.#listeners.size > 0) this.#options.report(cause);
      this.#isFailing = true;
    }
    if (this.#listeners.size > 0) this.#stopTimer = this.#options.clock.after(LOOK_MS, () => void this.#look());
  }

  async #lookAtHouse(): Promise<void> {
    const house = await this.#options.house();
    if (this.#house !== undefined && JSON.stringify(house) === JSON.stringify(this.#house)) return;
    this.#house = house;
    this.#tell((listener) => listener.house(house));
  }

  #homePoller(): void {
    const homes = new Map(this.#options.homes().map((source) => [source.name, source]));
    for (const [name, home] of this.#homes) if (!homes.has(name)) this.#forget(name, home);
    for (const [name, source] of homes) this.#homeOf(name).look(source);
  }

  #homeOf(name: string): WatchedHome {
    const known = this.#homes.get(name);
    if (known) return known;
    const { clock } = this.#options;
    const home = new WatchedHome(name, clock, (change) => this.#tell((listener) => listener.home(change)));
    this.#homes.set(name, home);
    return home;
  }

  #forget(name: string, home: WatchedHome): void {
    home.close();
    this.#homes.delete(name);
    this.#tell((listener) => listener.home({ name, removed: true }));
  }

  /** One who cannot be told takes nothing away from the others. */
  #tell(say: (listener: HouseListener) => void, to: Iterable<HouseListener> = this.#listeners): void {
    for (const listener of to) {
      try {
        say(listener);
      } catch (cause) {
        this.#options.report(cause);
      }
    }
  }
}
