/**
 * Ends a call when its time is over, waiting included. A source that ignores the end is not waited for. The time may have
 * grown meanwhile, by progress or because somebody was asked: that is looked at when it seems to be over.
 */
import { ZaguanError } from "../../errors.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import type { Call } from "../call.ts";
import type { StepFactory } from "../pipeline.ts";
import type { Clock } from "../ports.ts";

/** How long those below may take to wind up (and to say more precisely what happened) before we answer without them. */
const WIND_UP_MS = 500;

/** How often a call is looked at whose time has grown: it may shrink again, when whoever was asked has answered. */
const LOOK_MS = 1_000;

export const deadline: StepFactory =
  ({ clock }) =>
  (call, next) =>
    underDeadline(clock, call, () => next(call));

export function underDeadline(clock: Clock, call: Call, run: () => Promise<Payload>): Promise<Payload> {
  return new Promise<Payload>((resolve, reject) => {
    const expire = () => {
      const leftMs = call.deadlineAt - clock.now();
      if (leftMs > 0) {
        stop = clock.after(Math.min(leftMs, LOOK_MS), expire);
        return;
      }
      const error = exceeded(call);
      stop = clock.after(WIND_UP_MS, () => reject(error));
      call.abort(error);
    };
    let stop = clock.after(Math.max(0, call.deadlineAt - clock.now()), expire);
    run().then(
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
}

function exceeded(call: Call): ZaguanError {
  const seconds = Math.round((call.deadlineAt - call.startedAt) / 100) / 10;
  return new ZaguanError("DEADLINE_EXCEEDED", { params: { source: call.source, seconds }, delivery: "unknown" });
}
