/**
 * Bounds what one source is asked at once, and lets the rest wait: weighted fair between the four classes, round robin
 * between principals, at most so many. A queue that is full refuses with an estimate instead of growing; a waiting call
 * whose caller left is dropped.
 */
import { toZaguanError, ZaguanError } from "../../errors.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import type { Source } from "../../sources/source.ts";
import type { Call } from "../call.ts";
import type { Handler, PipelineContext, StepFactory } from "../pipeline.ts";
import { FairQueue } from "../structures/fair-queue.ts";
import { WaitEstimate } from "../structures/wait-estimate.ts";

export const queue: StepFactory = (context) => {
  /** A source that is gone takes its lane with it. */
  const lanes = new WeakMap<Source, Lane>();
  return (call, next) => {
    const source = context.attached(call.source)?.source;
    if (!source) return next(call);
    let lane = lanes.get(source);
    if (!lane) {
      lane = new Lane(context, source.concurrency);
      lanes.set(source, lane);
    }
    return lane.take(call, next);
  };
};

class Lane {
  readonly #context: PipelineContext;
  readonly #concurrency: number;
  /** Bounded here and not in itself: the configuration may change. */
  readonly #waiting = new FairQueue<() => void>(Number.POSITIVE_INFINITY);
  readonly #estimate = new WaitEstimate();
  #running = 0;

  constructor(context: PipelineContext, concurrency: number) {
    this.#context = context;
    this.#concurrency = concurrency;
  }

  take(call: Call, next: Handler): Promise<Payload> {
    const free = this.#running < this.#concurrency && this.#waiting.size === 0;
    return free ? this.#run(call, next) : this.#wait(call, next);
  }

  #run(call: Call, next: Handler): Promise<Payload> {
    this.#running++;
    const startedAt = this.#context.clock.now();
    return next(call).then(
      (result) => {
        this.#leave(startedAt);
        return result;
      },
      (cause) => {
        this.#leave(startedAt);
        throw cause;
      },
    );
  }

  #leave(startedAt: number): void {
    this.#running--;
    this.#estimate.finished(this.#context.clock.now() - startedAt);
    this.#waiting.shift()?.();
  }

  #wait(call: Call, next: Handler): Promise<Payload> {
    if (this.#waiting.size >= this.#context.limits().queueLength) return Promise.reject(this.#full(call));
    return new Promise((resolve, reject) => {
      const arrivedAt = this.#context.clock.now();
      const start = () => {
        call.signal.removeEventListener("abort", leave);
        call.trace.queuedMs = this.#context.clock.now() - arrivedAt;
        this.#run(call, next).then(resolve, reject);
      };
      const ticket = this.#waiting.push(start, call.priority, call.principal.id);
      const leave = () => {
        if (ticket) this.#waiting.remove(ticket);
        reject(this.#left(call, arrivedAt));
      };
      if (call.signal.aborted) leave();
      else call.signal.addEventListener("abort", leave, { once: true });
    });
  }

  #left(call: Call, arrivedAt: number): ZaguanError {
    const reason = toZaguanError(call.signal.reason);
    if (reason.code !== "DEADLINE_EXCEEDED") return reason;
    const seconds = Math.round((this.#context.clock.now() - arrivedAt) / 100) / 10;
    return new ZaguanError("QUEUE_TIMEOUT", { params: { source: call.source, seconds }, delivery: "not_sent" });
  }

  #full(call: Call): ZaguanError {
    const waiting = this.#waiting.size;
    const estimateMs = Math.max(1_000, this.#estimate.estimate(waiting, this.#concurrency));
    return new ZaguanError("NO_CAPACITY", {
      params: { source: call.source, waiting, seconds: Math.ceil(estimateMs / 1_000) },
      data: { queue_size: waiting, estimated_wait_ms: Math.round(estimateMs) },
      retryAfterMs: estimateMs,
      delivery: "not_sent",
    });
  }
}
