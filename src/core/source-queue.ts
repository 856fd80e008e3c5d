/**
 * What waits for one source and what it works on: at most so many at once, the rest weighted fair between the four classes
 * and round robin between principals. It refuses rather than lets anybody wait in vain: when the source is known not to
 * answer, when the queue is full, when a call could not be reached in its time, and, once a caller's burst has become a
 * flood, whatever would wait for more than about one call's time.
 */
import { PRIORITIES, type Priority } from "../contract/rules.ts";
import { toZaguanError, ZaguanError } from "../errors.ts";
import { LightAbort } from "../light-abort.ts";
import type { Payload } from "../protocol/json/payload.ts";
import type { Source } from "../sources/source.ts";
import { accountOf } from "./access.ts";
import type { Call } from "./call.ts";
import type { Handler, PipelineContext } from "./pipeline.ts";
import { Breaker } from "./structures/breaker.ts";
import { FairQueue } from "./structures/fair-queue.ts";
import { WaitEstimate } from "./structures/wait-estimate.ts";

export class SourceQueue {
  readonly #context: PipelineContext;
  readonly #source: Source;
  readonly #breaker: Breaker;
  /** Bounded here and not in itself: the configuration may change. */
  readonly #waiting = new FairQueue<Waiting>(Number.POSITIVE_INFINITY);
  readonly #estimate = new WaitEstimate();
  #running = 0;
  readonly #onIdle: (() => void)[] = [];

  constructor(context: PipelineContext, source: Source) {
    this.#context = context;
    this.#source = source;
    const { clock, random } = context;
    this.#breaker = new Breaker({
      clock,
      random,
      probe: (limitMs) => this.#probe(limitMs),
      onChange: (isOpen) => this.#changed(isOpen),
    });
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  waitingOf(priority: Priority): number {
    return this.#waiting.sizeOf(priority);
  }

  /** How long a newcomer would wait. */
  get waitMs(): number {
    const isBusy = this.#running >= this.#source.concurrency;
    return isBusy ? this.#estimate.estimate(this.#waiting.size + 1, this.#source.concurrency) : 0;
  }

  /** The source came (back) to life. */
  revived(): void {
    this.#breaker.close();
  }

  end(): void {
    this.#breaker.end();
  }

  /** Calls that wait here go on at once, to wait where the source is now; then what runs is waited for. */
  idle(patienceMs: number): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) next.move();
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.#context.clock.after(patienceMs, resolve);
      this.#onIdle.push(() => {
        stop();
        resolve();
      });
    });
  }

  take(call: Call, next: Handler): Promise<Payload> {
    if (this.#breaker.isOpen) return Promise.reject(this.#silent());
    const free = this.#running < this.#source.concurrency && this.#waiting.size === 0;
    return free ? this.#run(call, next) : this.#wait(call, next);
  }

  #run(call: Call, next: Handler): Promise<Payload> {
    this.#running++;
    const startedAt = call.startedAt + call.trace.queuedMs;
    return next(call).then(
      (result) => {
        this.#breaker.succeeded();
        this.#leave(startedAt);
        return result;
      },
      (cause) => {
        this.#judge(toZaguanError(cause), startedAt);
        this.#leave(startedAt);
        throw cause;
      },
    );
  }

  /**
   * A source that fails at once costs nobody anything, and its supervisor sees to it; what it refuses is an answer; a caller
   * who left proves nothing.
   */
  #judge(error: ZaguanError, startedAt: number): void {
    if (error.code === "CANCELLED") return;
    const isSlow = error.code === "DEADLINE_EXCEEDED" || this.#context.clock.now() - startedAt >= SLOW_MS;
    if (!SPEAKS_OF_SOURCE.has(error.code)) this.#breaker.succeeded();
    else if (isSlow) this.#breaker.failed();
  }

  #leave(startedAt: number): void {
    this.#running--;
    this.#estimate.finished(this.#context.clock.now() - startedAt);
    this.#waiting.shift()?.start();
    if (this.#running === 0) for (const tell of this.#onIdle.splice(0)) tell();
  }

  #wait(call: Call, next: Handler): Promise<Payload> {
    const refusal = this.#refusal(call);
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const arrivedAt = this.#context.clock.now();
      const waited = () => {
        call.trace.queuedMs = this.#context.clock.now() - arrivedAt;
      };
      const start = () => {
        call.signal.removeEventListener("abort", leave);
        waited();
        this.#run(call, next).then(resolve, reject);
      };
      const move = () => {
        call.signal.removeEventListener("abort", leave);
        waited();
        next(call).then(resolve, reject);
      };
      const refuse = (error: ZaguanError) => {
        call.signal.removeEventListener("abort", leave);
        waited();
        reject(error);
      };
      const ticket = this.#waiting.push({ start, move, refuse }, call.priority, accountOf(call.principal));
      const leave = () => {
        if (ticket) this.#waiting.remove(ticket);
        waited();
        reject(this.#left(call, arrivedAt));
      };
      if (call.signal.aborted) leave();
      else call.signal.addEventListener("abort", leave, { once: true });
    });
  }

  #refusal(call: Call): ZaguanError | undefined {
    const { queueLength, queueBurst: burst } = this.#context.limits();
    const { concurrency } = this.#source;
    const now = this.#context.clock.now();
    if (this.#waiting.size >= queueLength) return this.#full(call);
    const waitMs = this.#estimate.estimate(this.#waiting.size, concurrency);
    if (waitMs > call.deadlineAt - now) return this.#full(call);
    if (waitMs <= SHORT_MS) return undefined;
    const welcome = { burst, spare: concurrency * SPARE };
    return this.#waiting.admits(call.priority, accountOf(call.principal), now, welcome) ? undefined : this.#full(call);
  }

  #left(call: Call, arrivedAt: number): ZaguanError {
    const reason = toZaguanError(call.signal.reason);
    if (reason.code !== "DEADLINE_EXCEEDED") return reason;
    const seconds = Math.round((this.#context.clock.now() - arrivedAt) / 100) / 10;
    return new ZaguanError("QUEUE_TIMEOUT", { params: { source: call.source, seconds }, delivery: "not_sent" });
  }

  #full(call: Call): ZaguanError {
    const waiting = this.#waiting.size;
    const estimateMs = Math.max(1_000, this.#estimate.estimate(waiting, this.#source.concurrency));
    return new ZaguanError("NO_CAPACITY", {
      params: { source: call.source, waiting, seconds: Math.ceil(estimateMs / 1_000) },
      data: { queue_size: waiting, estimated_wait_ms: Math.round(estimateMs) },
      // Not all of those who are refused in one moment come back in one moment.
      retryAfterMs: estimateMs * (1 + this.#context.random() / 4),
      delivery: "not_sent",
    });
  }

  #silent(): ZaguanError {
    return new ZaguanError("SOURCE_UNAVAILABLE", {
      params: { source: this.#source.name, reason: "it does not answer; it is asked again soon" },
      retryAfterMs: Math.max(1_000, this.#breaker.retryAfterMs),
      delivery: "not_sent",
    });
  }

  #probe(limitMs: number): Promise<unknown> {
    const stop = new LightAbort();
    const params = { source: this.#source.name, seconds: limitMs / 1_000 };
    const late = () => stop.abort(new ZaguanError("DEADLINE_EXCEEDED", { params, delivery: "unknown" }));
    const settled = this.#context.clock.after(limitMs, late);
    const expired = new Promise((_resolve, reject) => {
      stop.addEventListener("abort", () => reject(stop.reason));
    });
    // A source that takes no notice of the signal is not waited for.
    return Promise.race([this.#source.listTools(stop), expired]).finally(settled);
  }

  /** Who waits for a source that does not answer need not wait. */
  #changed(isOpen: boolean): void {
    this.#context.emit({ type: "source-silent", source: this.#source.name, isSilent: isOpen });
    if (!isOpen) return;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) next.refuse(this.#silent());
  }
}

interface Waiting {
  start(): void;
  /** Without a place here. */
  move(): void;
  refuse(error: ZaguanError): void;
}

/** What tells that a source cannot be reached or does not answer. */
const SPEAKS_OF_SOURCE: ReadonlySet<ZaguanError["code"]> = new Set([
  "SOURCE_UNAVAILABLE",
  "OUTCOME_UNKNOWN",
  "DEADLINE_EXCEEDED",
]);

/** A failure that takes longer, all attempts together, holds up those who wait for it. */
const SLOW_MS = 3_000;

/** Many who wait so long are no flood: they are served as fast as they come. So is, until the first is done, everybody. */
const SHORT_MS = 200;

/** Of the calls that a source takes at once: so many may wait in a flood, so that it never idles and nobody waits long. */
const SPARE = 0.25;

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

/** The queues of all sources, and what they look like together. */
export class SourceQueues {
  readonly #queues = new Map<Source, SourceQueue>();

  of(source: Source, context: PipelineContext): SourceQueue {
    const known = this.#queues.get(source);
    if (known) return known;
    const queue = new SourceQueue(context, source);
    this.#queues.set(source, queue);
    return queue;
  }

  /** The source has moved. Resolves when nothing runs where it was, but not later than after this time. */
  async idle(source: Source, patienceMs: number): Promise<void> {
    await this.#queues.get(source)?.idle(patienceMs);
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
