/** The last step: hands the call to its source. */
import { toZaguanError, ZaguanError } from "../../errors.ts";
import type { StepFactory } from "../pipeline.ts";

export const dispatch: StepFactory =
  ({ attached }) =>
  (call) => {
    const found = attached(call.source);
    if (!found) return Promise.reject(gone(call.source));
    if (call.signal.aborted) return Promise.reject(toZaguanError(call.signal.reason));
    // A call has all that a source is asked with, so that nothing is copied for each.
    return found.source.request(call);
  };

function gone(source: string): ZaguanError {
  const params = { source, reason: "it is not here at the moment" };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent" });
}
