/** Bounds how many calls one principal makes per minute, with a burst of a quarter of that. */
import { ZaguanError } from "../../errors.ts";
import type { StepFactory } from "../pipeline.ts";
import { TokenBuckets } from "../structures/token-bucket.ts";

const MAX_PRINCIPALS = 10_000;

export const rateLimit: StepFactory = ({ clock, limits }) => {
  let perMinute = 0;
  let buckets: TokenBuckets | undefined;
  return (call, next) => {
    const wanted = limits().callsPerMinute;
    if (wanted !== perMinute) {
      perMinute = wanted;
      buckets = wanted > 0 ? new TokenBuckets(wanted, Math.max(1, Math.ceil(wanted / 4)), MAX_PRINCIPALS) : undefined;
    }
    const waitMs = buckets?.take(call.principal.id, clock.now()) ?? 0;
    return waitMs > 0 ? Promise.reject(limited(waitMs)) : next(call);
  };
};

function limited(waitMs: number): ZaguanError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new ZaguanError("RATE_LIMITED", { params: { seconds }, retryAfterMs: waitMs, delivery: "not_sent" });
}
