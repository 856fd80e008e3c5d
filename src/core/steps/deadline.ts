/** Ends a call when its time is over, waiting included. A source that ignores the end is not waited for. */
import { ZaguanError } from "../../errors.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import type { Call } from "../call.ts";
import type { StepFactory } from "../pipeline.ts";

/** How long those below may take to wind up (and to say more precisely what happened) before we answer without them. */
const WIND_UP_MS = 500;

export const deadline: StepFactory =
  ({ clock }) =>
  (call, next) =>
    new Promise<Payload>((resolve, reject) => {
      const expire = () => {
        const error = exceeded(call);
        call.abort(error);
        stop = clock.after(WIND_UP_MS, () => reject(error));
      };
      let stop = clock.after(Math.max(0, call.deadlineAt - clock.now()), expire);
      next(call).then(
        (result) => {
          stop();
          resolve(result);
        },
        (error) => {
          stop();
          reject(error);
        },
      );
    });

function exceeded(call: Call): ZaguanError {
  const seconds = Math.round((call.deadlineAt - call.startedAt) / 100) / 10;
  return new ZaguanError("DEADLINE_EXCEEDED", { params: { source: call.source, seconds }, delivery: "unknown" });
}
