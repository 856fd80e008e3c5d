/**
 * `/calls…`: the last calls and those under way, the steps of one call, and cancelling one; `/figures`: the last hour for a
 * chart. Loaded by the first who asks.
 */
import type { Figures } from "../../contract/call.ts";
import { operations } from "../../contract/operations.ts";
import { ZaguanError } from "../../errors.ts";
import type { DoorContext } from "../door.ts";
import { matcher, page } from "../rest/page.ts";
import { noSuch } from "../rest/problem.ts";
import { idOf, type RestRequest, type RestRoute, route } from "../rest/route.ts";

/** As many as the journal keeps. */
const ALL = 1_000;

export function liveRoutes(context: DoorContext): readonly RestRoute[] {
  return [...callRoutes(context), figureRoute(context)];
}

function callRoutes({ calls }: DoorContext): readonly RestRoute[] {
  return [
    route(operations.live.listCalls, (request) => {
      const { search, state } = request.query;
      const fits = matcher(search);
      const all = [...calls.running(request.principal), ...calls.since(0, ALL, request.principal)];
      const found = all.filter(
        (call) =>
          (state === undefined || call.state === state) &&
          fits([call.tool, call.source, call.principal, call.door, call.outcome ?? undefined]),
      );
      return page(request, found);
    }),
    route(operations.live.getCall, (request) => {
      const call = calls.find(numberIn(request), request.principal);
      if (!call) throw noSuch("call", idOf(request));
      return { status: 200, body: call };
    }),
    route(operations.live.cancelCall, (request) => {
      const done = calls.cancel(numberIn(request), request.principal);
      if (done === undefined) throw noSuch("call", idOf(request));
      if (done === "ended") throw new ZaguanError("ALREADY_ENDED", { params: { id: numberIn(request) } });
      return { status: 204 };
    }),
  ];
}

/** No call has the number NaN, which stands for an id that is none. */
function numberIn(request: Pick<RestRequest, "names">): number {
  return Number(idOf(request) || Number.NaN);
}

/** The last hour, and what was counted since the start: the same counters as at `/metrics`. */
function figureRoute({ statistics, queue, status }: DoorContext): RestRoute {
  return route(operations.live.getFigures, () => {
    const body: Figures = {
      points: [...statistics.series(), statistics.current()],
      totals: totalsOf(statistics),
      queue: queue().byPriority,
      inFlight: status().callsInFlight,
      uptimeSeconds: status().uptimeSeconds,
    };
    return { status: 200, body };
  });
}

function totalsOf(statistics: DoorContext["statistics"]): Figures["totals"] {
  const { cacheHits, cacheMisses, cacheEvictions, retries, internalErrors } = statistics;
  const calls = [...statistics.calls.entries()];
  const sum = (counted: typeof calls): number => counted.reduce((total, { count }) => total + count, 0);
  const failed = sum(calls.filter(({ column }) => column !== "ok"));
  return { calls: sum(calls), failed, cacheHits, cacheMisses, cacheEvictions, retries, internalErrors };
}
