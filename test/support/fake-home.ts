/** A home as the hub sees it, of which a test says what it has, how it is, and when it tells so. */
import assert from "node:assert/strict";
import type { SourceState } from "../../src/core/events.ts";
import type { PlacedThing, Source, Thing, Things, ThingsListener } from "../../src/sources/source.ts";
import { makeSource } from "./make-call.ts";

/** Everything in it stands in its salon, unless it was added later. */
export class FakeHome {
  readonly source: Source;
  #state: SourceState;
  #things: PlacedThing[] | undefined;
  #life: Things | undefined;
  readonly #listeners = new Set<ThingsListener>();
  #waiting: Promise<unknown> | undefined;

  constructor(name: string, state: SourceState, things?: readonly Thing[]) {
    this.#state = state;
    this.enter(state, things);
    this.source = makeSource(name, {
      kind: "home-assistant",
      hasThings: true,
      status: () => ({ state: this.#state, restarts: 0, log: [] }),
      things: () => this.#life,
    });
  }

  get watchers(): number {
    return this.#listeners.size;
  }

  listener(): ThingsListener {
    return [...this.#listeners][0] ?? assert.fail("nobody watches");
  }

  enter(state: SourceState, things?: readonly Thing[]): void {
    this.#state = state;
    this.#things = things?.map((thing) => ({ thing, place: { id: "salon", name: "Salon" } }));
    this.#life = this.#things && this.#begin(this.#things);
  }

  /** Nowhere in particular. */
  add(thing: Thing): void {
    this.#things?.push({ thing, place: undefined });
  }

  set(id: string, now: Partial<Thing>): void {
    const things = this.#things ?? assert.fail("it is away");
    const index = things.findIndex(({ thing }) => thing.id === id);
    const { thing, place } = things[index] ?? assert.fail("no such thing");
    things[index] = { thing: { ...thing, ...now }, place };
    this.listener().changed([id]);
  }

  /** It says nothing of what it has, until it is let go. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = promise;
    return () => {
      this.#waiting = undefined;
      resolve();
    };
  }

  lose(): void {
    this.enter(this.#state, []);
    this.#waiting = Promise.reject(new Error("lost"));
    this.#waiting.catch(() => {});
  }

  #begin(things: readonly PlacedThing[]): Things {
    return {
      list: async () => {
        const now = [...things];
        await this.#waiting;
        return now;
      },
      get: (id) => things.find(({ thing }) => thing.id === id)?.thing,
      watch: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }
}

export function lamp(id: string): Thing {
  return { id, name: id, domain: "light", state: "off", changedUtc: null };
}
