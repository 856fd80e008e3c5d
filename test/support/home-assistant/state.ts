/** One state of one entity, and the three ways in which it is written. Texts are kept: a house has thousands of states. */
import type { Context } from "./context.ts";
import { seconds, written } from "./moments.ts";

export type Attributes = Readonly<Record<string, unknown>>;

export class State {
  readonly entityId: string;
  readonly value: string;
  readonly attributes: Attributes;
  /** Microseconds; `changed` is kept when only attributes change. */
  readonly changed: number;
  readonly updated: number;
  readonly context: Context;
  #reported: number | undefined;
  #text: string | undefined;
  #compressedText: string | undefined;

  /** @param reported undefined for versions that do not tell it */
  constructor(
    facts: Pick<State, "entityId" | "value" | "attributes" | "changed" | "updated" | "context">,
    reported?: number,
  ) {
    this.entityId = facts.entityId;
    this.value = facts.value;
    this.attributes = facts.attributes;
    this.changed = facts.changed;
    this.updated = facts.updated;
    this.context = facts.context;
    this.#reported = reported;
  }

  /** The device said the same thing again: nothing has changed, but it was heard. */
  report(moment: number): void {
    if (this.#reported === undefined) return;
    this.#reported = moment;
    this.#text = undefined;
  }

  toJSON(): object {
    return {
      entity_id: this.entityId,
      state: this.value,
      attributes: this.attributes,
      last_changed: written(this.changed),
      ...(this.#reported !== undefined && { last_reported: written(this.#reported) }),
      last_updated: written(this.updated),
      context: this.context,
    };
  }

  get text(): string {
    this.#text ??= JSON.stringify(this);
    return this.#text;
  }

  /** As in the first message of `subscribe_entities`. */
  compressed(): object {
    const { id, parent_id, user_id } = this.context;
    return {
      s: this.value,
      a: this.attributes,
      c: parent_id === null && user_id === null ? id : this.context,
      lc: seconds(this.changed),
      ...(this.updated !== this.changed && { lu: seconds(this.updated) }),
    };
  }

  /** `"light.a":{…}`, to be put between braces. */
  get compressedText(): string {
    this.#compressedText ??= `${JSON.stringify(this.entityId)}:${JSON.stringify(this.compressed())}`;
    return this.#compressedText;
  }
}
