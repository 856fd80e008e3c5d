/** The lanes of all sources, and what they look like together. */
import { PRIORITIES, type Priority } from "../contract/rules.ts";
import type { Source } from "../sources/source.ts";
import { Lane } from "./lane.ts";
import type { PipelineContext } from "./pipeline.ts";

/** How busy the hub is. */
export interface QueueView {
  /** Calls that wait, and that sources work on. */
  readonly pending: number;
  readonly processing: number;
  /** Of those that wait. */
  readonly byPriority: Readonly<Record<Priority, number>>;
  /** At the source where it is longest. */
  readonly estimatedWaitMs: number;
}

export class Lanes {
  readonly #lanes = new Map<Source, Lane>();

  of(source: Source, context: PipelineContext): Lane {
    const known = this.#lanes.get(source);
    if (known) return known;
    const lane = new Lane(context, source);
    this.#lanes.set(source, lane);
    return lane;
  }

  revived(source: Source): void {
    this.#lanes.get(source)?.revived();
  }

  /** A source that is gone takes its lane with it; what still runs there ends by itself. */
  forget(source: Source): void {
    this.#lanes.get(source)?.end();
    this.#lanes.delete(source);
  }

  view(): QueueView {
    const lanes = [...this.#lanes.values()];
    const sum = (count: (lane: Lane) => number): number => lanes.reduce((total, lane) => total + count(lane), 0);
    const counts = PRIORITIES.map((priority) => [priority, sum((lane) => lane.waitingOf(priority))] as const);
    return {
      pending: sum((lane) => lane.waiting),
      processing: sum((lane) => lane.running),
      byPriority: Object.fromEntries(counts) as Record<Priority, number>,
      estimatedWaitMs: Math.max(0, ...lanes.map((lane) => lane.waitMs)),
    };
  }
}
