/** `GET /figures`: the last hour for a picture of it, and what was counted since the start, from where `/metrics` takes it. */
import type { Figures } from "../../contract/call.ts";
import { operations } from "../../contract/operations.ts";
import type { DoorContext } from "../door.ts";
import { type RestRoute, route } from "../rest/route.ts";

export function figureRoutes({ statistics, queue, status }: DoorContext): readonly RestRoute[] {
  return [
    route(operations.live.getFigures, () => {
      const body: Figures = {
        points: [...statistics.series(), statistics.current()],
        totals: totalsOf(statistics),
        queue: queue().byPriority,
        inFlight: status().callsInFlight,
        uptimeSeconds: status().uptimeSeconds,
      };
      return { status: 200, body };
    }),
  ];
}

function totalsOf(statistics: DoorContext["statistics"]): Figures["totals"] {
  const { cacheHits, cacheMisses, cacheEvictions, retries, internalErrors } = statistics;
  const calls = [...statistics.calls.entries()];
  const sum = (counted: typeof calls): number => counted.reduce((total, { count }) => total + count, 0);
  const failed = sum(calls.filter(({ column }) => column !== "ok"));
  return { calls: sum(calls), failed, cacheHits, cacheMisses, cacheEvictions, retries, internalErrors };
}
