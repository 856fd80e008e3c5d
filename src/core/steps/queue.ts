/** Lets a call wait for its turn at its source, or refuses it: see `source-queue.ts`. What another node holds waits there. */
import type { StepFactory } from "../pipeline.ts";

export const queue: StepFactory = (context) => (call, next) => {
  const source = context.attached(call.source)?.source;
  return source && !source.isElsewhere ? context.queues.of(source, context).take(call, next) : next(call);
};
