/** The last step: hands the call to its source. */
import { toZaguanError, ZaguanError } from "../../errors.ts";
import type { StepFactory } from "../pipeline.ts";

export const dispatch: StepFactory =
  ({ attached }) =>
  (call) => {
    const found = attached(call.source);
    if (!found) return Promise.reject(gone(call.source));
    if (call.signal.aborted) return Promise.reject(toZaguanError(call.signal.reason));
    const { method, name, args, meta, params, language, signal, onProgress, onNotification, caller } = call;
    const told = { onProgress, onNotification, caller };
    return found.source.request({ method, name, args, meta, params, language, signal, ...told });
  };

function gone(source: string): ZaguanError {
  const params = { source, reason: "it was removed" };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent" });
}
