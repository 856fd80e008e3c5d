/**
 * Keeps answers of read-only tools where policy gives a time to live, apart for each principal and language; identical
 * reads in flight are one call. Errors, results with `isError` or that are not complete, and large answers are never kept.
 */

import type { CancelSignal } from "../../light-abort.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { memberOf, type ScanLimits, scanJson } from "../../protocol/json/scan.ts";
import type { Call } from "../call.ts";
import type { Handler, PipelineContext, StepFactory } from "../pipeline.ts";
import { prefixOf } from "../shared/answer-cache.ts";
import { SingleFlight } from "../structures/single-flight.ts";
import { underDeadline } from "./deadline.ts";

const MAX_ANSWER_CHARS = 1_048_576;
/** The shared call outlives any single caller's patience; it ends when the last of them has left. */
const SHARED_MS = 3_600_000;
const COMPLETE = '"complete"';
const ANSWER_LIMITS: ScanLimits = { depth: 64, elements: Number.POSITIVE_INFINITY };

export const cache: StepFactory = (context) => {
  const flights = new SingleFlight<Payload>();
  const { clock, cache: kept, attached } = context;
  return (call, next) => {
    const seconds = timeToLive(call, attached(call.source)?.policy.cacheSeconds);
    if (seconds === 0) return next(call);
    const key = keyOf(call);
    const hit = kept.get(key, clock.now());
    if (hit && isFresh(call, clock.now() - hit.storedAt)) {
      call.trace.cached = true;
      return Promise.resolve(hit.value);
    }
    const flight = `${kept.epochOf(call.source)}\n${key}`;
    const work = (shared: CancelSignal) => ask(context, call, next, shared, seconds);
    // Everybody who waits has a deadline of their own; the one below is the shared call's.
    return underDeadline(clock, call, () => flights.run(flight, work, call.signal));
  };
};

async function ask(context: PipelineContext, call: Call, next: Handler, shared: CancelSignal, seconds: number) {
  const { clock, cache: kept } = context;
  const epoch = kept.epochOf(call.source);
  const result = await next(detached(call, shared));
  if (epoch === kept.epochOf(call.source) && isKeepable(result)) {
    kept.set(keyOf(call), result, clock.now() + seconds * 1_000, clock.now());
  }
  return result;
}

function timeToLive(call: Call, cacheSeconds: Readonly<Record<string, number>> | undefined): number {
  if (!cacheSeconds || !Object.hasOwn(cacheSeconds, call.name)) return 0;
  if (call.params && MAY_BE_REPEAT.test(call.params.text)) return 0;
  return cacheSeconds[call.name] ?? 0;
}

function keyOf(call: Call): string {
  const what = call.tool ? call.args.text : call.params?.text;
  return `${prefixOf(call.source)}${call.principal.id}\n${call.language}\n${call.name}\n${what}`;
}

/** A request that brings what its source asked for is part of one conversation, and nobody else's. */
const MAY_BE_REPEAT = /inputResponses|requestState|\\u/;

function isFresh(call: Call, ageMs: number): boolean {
  return call.freshness === undefined || ageMs < call.freshness.maxAgeSeconds * 1_000;
}

/** Looks without parsing: a kept answer is text and nothing else. */
function isKeepable({ text }: Payload): boolean {
  if (text.length > MAX_ANSWER_CHARS) return false;
  const scan = scanJson(text, ANSWER_LIMITS, { refuseDuplicates: false });
  if (!scan.ok) return false;
  const said = (key: string): string | undefined => {
    const member = memberOf(scan.members, key);
    return member && text.slice(member.start, member.end);
  };
  // A result that only asks for more is no answer yet.
  return said("isError") !== "true" && (said("resultType") ?? COMPLETE) === COMPLETE;
}

/** The shared call lives as long as anybody waits for it, tells nobody its progress and asks nobody anything. */
function detached(call: Call, shared: CancelSignal): Call {
  const controller = new AbortController();
  const abort = (reason: unknown) => controller.abort(reason);
  shared.addEventListener("abort", () => abort(shared.reason), { once: true });
  const deadlineAt = call.startedAt + SHARED_MS;
  const alone = { caller: undefined, onProgress: undefined, onNotification: undefined };
  return { ...call, ...alone, signal: controller.signal, abort, deadlineAt };
}
