/**
 * What happens to a call, as one ordered list. Each step is a file in `steps/`, made once per hub, and gets the call and
 * the rest of the way.
 */
import type { Limits } from "../contract/limits.ts";
import type { Payload } from "../protocol/json/payload.ts";
import type { Source } from "../sources/source.ts";
import type { Call } from "./call.ts";
import type { Emit } from "./events.ts";
import type { Clock, Random, SchemaChecker } from "./ports.ts";
import type { AnswerCache } from "./shared/answer-cache.ts";
import type { Rates } from "./shared/rates.ts";
import type { SourceQueues } from "./source-queue.ts";
import { authorize } from "./steps/authorize.ts";
import { cache } from "./steps/cache.ts";
import { deadline } from "./steps/deadline.ts";
import { dispatch } from "./steps/dispatch.ts";
import { queue } from "./steps/queue.ts";
import { rateLimit } from "./steps/rate-limit.ts";
import { retry } from "./steps/retry.ts";
import { validate } from "./steps/validate.ts";

export type Handler = (call: Call) => Promise<Payload>;
type Step = (call: Call, next: Handler) => Promise<Payload>;
export type StepFactory = (context: PipelineContext) => Step;

export const STEPS: readonly StepFactory[] = [
  authorize, // first of all: what a principal may not use must not cost or tell anything
  validate, // before the limits: a malformed call is the caller's own mistake, told at once
  rateLimit, // before the cache, so that a flood of cheap hits still counts
  cache, // after authorisation, keyed by principal
  deadline, // before the queue: waiting counts
  queue, // bounds what one source is asked at once, and spares one that does not answer
  retry, // inside the slot and the deadline
  dispatch, // to the source
];

/** For a call that came so far at another node of the cluster, and has had its turn at the source. */
export const LAST_STEPS: readonly StepFactory[] = [retry, dispatch];

/** As they are shown to people who look at one call. */
export const STEP_NAMES: readonly string[] = STEPS.map(({ name }) => name);

export interface PipelineContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  readonly checker: SchemaChecker;
  readonly cache: AnswerCache;
  readonly rates: Rates;
  readonly queues: SourceQueues;
  /** Read at every call, so that a changed configuration counts at once. */
  limits(): Limits;
  attached(source: string): AttachedSource | undefined;
}

export interface AttachedSource {
  readonly source: Source;
  readonly policy: CallPolicy;
}

/** What the administrator says about a source's calls. */
export interface CallPolicy {
  /** Tools that may be repeated after a lost answer. */
  readonly repeatable: readonly string[];
  /** Read-only tools whose answers may be kept, and for how long. */
  readonly cacheSeconds: Readonly<Record<string, number>>;
}

export function buildPipeline(context: PipelineContext, steps: readonly StepFactory[] = STEPS): Handler {
  const end: Handler = () => Promise.reject(new Error("no step answered"));
  return steps.reduceRight<Handler>((next, factory, place) => {
    const step = factory(context);
    return (call) => {
      const { entered } = call.trace;
      if (entered) entered[place] ??= context.clock.now();
      return step(call, next);
    };
  }, end);
}
