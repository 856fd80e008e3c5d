/** The state machine: what every entity says now. */
import { isDeepStrictEqual } from "node:util";
import { type Bus, StateChanged } from "./bus.ts";
import { type Context, newContext } from "./context.ts";
import { now } from "./moments.ts";
import { type Attributes, State } from "./state.ts";

const ENTITY_ID = /^(?!.+__)(?!_)[\da-z_]+(?<!_)\.(?!_)[\da-z_]+(?<!_)$/;

export function isEntityId(text: string): boolean {
  return ENTITY_ID.test(text);
}

export function domainOf(entityId: string): string {
  return entityId.slice(0, entityId.indexOf("."));
}

export class States {
  readonly #bus: Bus;
  readonly #tellsReported: boolean;
  readonly #states = new Map<string, State>();

  constructor(bus: Bus, tellsReported: boolean) {
    this.#bus = bus;
    this.#tellsReported = tellsReported;
  }

  get(entityId: string): State | undefined {
    return this.#states.get(entityId) ?? this.#states.get(entityId.toLowerCase());
  }

  all(): State[] {
    return [...this.#states.values()];
  }

  set(entityId: string, value: string, attributes: Attributes, context: Context = newContext()): void {
    const before = this.get(entityId);
    const updated = now();
    const same = before?.value === value;
    if (same && isDeepStrictEqual(before.attributes, attributes)) return void before.report(updated);
    const id = before?.entityId ?? entityId.toLowerCase();
    const facts = { entityId: id, value, attributes, changed: same ? before.changed : updated, updated, context };
    const after = new State(facts, this.#tellsReported ? updated : undefined);
    this.#states.set(id, after);
    this.#bus.fire(new StateChanged(id, before, after));
  }

  remove(entityId: string, context?: Context): boolean {
    const before = this.get(entityId);
    if (!before) return false;
    this.#states.delete(before.entityId);
    this.#bus.fire(new StateChanged(before.entityId, before, undefined, context));
    return true;
  }
}
