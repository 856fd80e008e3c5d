/** Bounds how many calls one principal makes, under whichever names it acts. */
import { ZaguanError } from "../../errors.ts";
import { accountOf } from "../access.ts";
import type { StepFactory } from "../pipeline.ts";

export const rateLimit: StepFactory =
  ({ clock, rates }) =>
  (call, next) => {
    const waitMs = rates.take(accountOf(call.principal), clock.now());
    return waitMs > 0 ? Promise.reject(limited(waitMs)) : next(call);
  };

function limited(waitMs: number): ZaguanError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new ZaguanError("RATE_LIMITED", { params: { seconds }, retryAfterMs: waitMs, delivery: "not_sent" });
}
