/** The event bus of the house. What one event causes is delivered after it, to everybody in the same order. */
import { type Context, newContext } from "./context.ts";
import { delta } from "./delta.ts";
import { now, written } from "./moments.ts";
import type { State } from "./state.ts";

export const EVERY_EVENT = "*";

export class HomeEvent {
  readonly type: string;
  readonly data: object;
  readonly context: Context;
  readonly #time = now();
  #text: string | undefined;

  constructor(type: string, data: object, context: Context = newContext()) {
    this.type = type;
    this.data = data;
    this.context = context;
  }

  /** Written once, however many listen. */
  get text(): string {
    const { type, data, context } = this;
    const time_fired = written(this.#time);
    this.#text ??= JSON.stringify({ event_type: type, data, origin: "LOCAL", time_fired, context });
    return this.#text;
  }
}

export class StateChanged extends HomeEvent {
  readonly entityId: string;
  readonly before: State | undefined;
  readonly after: State | undefined;
  #delta: string | undefined;

  constructor(entityId: string, before: State | undefined, after: State | undefined, context?: Context) {
    const data = { entity_id: entityId, old_state: before ?? null, new_state: after ?? null };
    super("state_changed", data, context ?? after?.context);
    this.entityId = entityId;
    this.before = before;
    this.after = after;
  }

  get delta(): string {
    this.#delta ??= JSON.stringify(delta(this.entityId, this.before, this.after));
    return this.#delta;
  }
}

export type Listener = (event: HomeEvent) => void;

export class Bus {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #waiting: HomeEvent[] = [];
  #delivering = false;

  listen(type: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  onStateChange(listener: (change: StateChanged) => void): () => void {
    return this.listen("state_changed", (event) => event instanceof StateChanged && listener(event));
  }

  count(type: string): number {
    return this.#listeners.get(type)?.size ?? 0;
  }

  fire(event: HomeEvent): void {
    this.#waiting.push(event);
    if (this.#delivering) return;
    this.#delivering = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) this.#deliver(next);
    this.#delivering = false;
  }

  #deliver(event: HomeEvent): void {
    for (const type of [event.type, EVERY_EVENT])
      for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}
