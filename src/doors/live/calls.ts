/** `/calls…`: the last calls and those under way, one call's whole way, and an end to one that should not go on. */
import { operations } from "../../contract/operations.ts";
import { ZaguanError } from "../../errors.ts";
import type { DoorContext } from "../door.ts";
import { matcher, page } from "../rest/page.ts";
import { type RestRequest, type RestRoute, route } from "../rest/route.ts";

const ALL = 1_000;

export function callRoutes({ calls }: DoorContext): readonly RestRoute[] {
  const noSuch = (request: RestRequest): ZaguanError =>
    new ZaguanError("NO_SUCH", { params: { kind: "call", name: (request.names["id"] ?? "").slice(0, 64) } });
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
      const call = calls.find(idOf(request), request.principal);
      if (!call) throw noSuch(request);
      return { status: 200, body: call };
    }),
    route(operations.live.cancelCall, (request) => {
      const done = calls.cancel(idOf(request), request.principal);
      if (done === undefined) throw noSuch(request);
      if (done === "ended") throw new ZaguanError("ALREADY_ENDED", { params: { id: idOf(request) } });
      return { status: 204 };
    }),
  ];
}

/** What is no number is nobody's. */
function idOf({ names }: RestRequest): number {
  return Number(names["id"] || Number.NaN);
}
