/** `GET /figures`: the last hour for a picture of it, and what was counted since the start, from where `/metrics` takes it. */

import { Figures } from "../../contract/call.ts";
import type { DoorContext } from "../door.ts";
import { type RestRoute, route } from "../rest/route.ts";

export function figureRoutes({ statistics, queue, status }: DoorContext): readonly RestRoute[] {
  return [
    route({
      ...{ method: "GET", path: "/figures", operationId: "getFigures", tag: "Hub" },
      summary: "The last hour in steps of ten seconds, and what was counted since the start",
      description: "As `/metrics`, not for those who may use some tools only.",
      answers: { 200: { description: "The oldest step first; the last one is still being filled.", schema: Figures } },
      handle: () => {
        const body: Figures = {
          points: [...statistics.series(), statistics.current()],
          totals: totalsOf(statistics),
          queue: queue().byPriority,
          inFlight: status().callsInFlight,
          uptimeSeconds: status().uptimeSeconds,
        };
        return { status: 200, body };
      },
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
