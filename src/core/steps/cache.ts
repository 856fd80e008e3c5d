/**
 * Keeps answers of read-only tools where policy gives a time to live, apart for each principal and language; identical
 * reads in flight are one call. Errors, results with `isError` and large answers are never kept.
 */
import type { Payload } from "../../protocol/json/payload.ts";
import type { Call } from "../call.ts";
import type { StepFactory } from "../pipeline.ts";
import type { ExpiringLru } from "../structures/expiring-lru.ts";
import { SingleFlight } from "../structures/single-flight.ts";

export type CallCache = ExpiringLru<Payload>;

const MAX_ANSWER_CHARS = 1_048_576;

/** Everything kept for one source begins with this. */
export function cachePrefix(source: string): string {
  return `${source}\n`;
}

export const cache: StepFactory = ({ clock, cache: kept, attached }) => {
  const flights = new SingleFlight<Payload>();
  return (call, next) => {
    const seconds = timeToLive(call, attached(call.source)?.policy.cacheSeconds);
    if (seconds === 0) return next(call);
    const key = keyOf(call);
    const hit = kept.get(key, clock.now());
    if (hit && isFresh(call, clock.now() - hit.storedAt)) {
      call.trace.cached = true;
      return Promise.resolve(hit.value);
    }
    const work = async (shared: AbortSignal): Promise<Payload> => {
      const result = await next(detached(call, shared));
      if (isKeepable(result)) {
        kept.set(key, result, result.text.length * 2, clock.now() + seconds * 1_000, clock.now());
      }
      return result;
    };
    return flights.run(key, work, call.signal);
  };
};

function timeToLive(call: Call, cacheSeconds: Readonly<Record<string, number>> | undefined): number {
  if (!cacheSeconds || !Object.hasOwn(cacheSeconds, call.name)) return 0;
  return cacheSeconds[call.name] ?? 0;
}

function keyOf(call: Call): string {
  return `${cachePrefix(call.source)}${call.principal.id}\n${call.language}\n${call.name}\n${call.args.text}`;
}

function isFresh(call: Call, ageMs: number): boolean {
  return call.freshness === undefined || ageMs < call.freshness.maxAgeSeconds * 1_000;
}

function isKeepable(result: Payload): boolean {
  if (result.text.length > MAX_ANSWER_CHARS) return false;
  return (result.value as { isError?: unknown } | null)?.isError !== true;
}

/** The shared call lives as long as anybody waits for it, and tells nobody its progress. */
function detached(call: Call, shared: AbortSignal): Call {
  const controller = new AbortController();
  const abort = (reason: unknown) => controller.abort(reason);
  shared.addEventListener("abort", () => abort(shared.reason), { once: true });
  return { ...call, signal: controller.signal, abort, onProgress: undefined };
}
