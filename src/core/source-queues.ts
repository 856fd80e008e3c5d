/** The queues of all sources, and what they look like together. */

import { PRIORITIES, type Priority } from "../contract/rules.ts";
import type { Source } from "../sources/source.ts";
import type { PipelineContext } from "./pipeline.ts";
import { SourceQueue } from "./source-queue.ts";

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

export class SourceQueues {
  readonly #queues = new Map<Source, SourceQueue>();

  of(source: Source, context: PipelineContext): SourceQueue {
    const known = this.#queues.get(source);
    if (known) return known;
    const queue = new SourceQueue(context, source);
    this.#queues.set(source, queue);
    return queue;
  }

  revived(source: Source): void {
    this.#queues.get(source)?.revived();
  }

  /** A source that is gone takes its queue with it; what still runs there ends by itself. */
  forget(source: Source): void {
    this.#queues.get(source)?.end();
    this.#queues.delete(source);
  }

  view(): QueueView {
    const queues = [...this.#queues.values()];
    const sum = (count: (queue: SourceQueue) => number): number =>
      queues.reduce((total, queue) => total + count(queue), 0);
    const counts = PRIORITIES.map((priority) => [priority, sum((queue) => queue.waitingOf(priority))] as const);
    return {
      pending: sum((queue) => queue.waiting),
      processing: sum((queue) => queue.running),
      byPriority: Object.fromEntries(counts) as Record<Priority, number>,
      estimatedWaitMs: Math.max(0, ...queues.map((queue) => queue.waitMs)),
    };
  }
}
