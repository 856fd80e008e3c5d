/** `/calls…`: the last calls and those under way, one call's whole way, and an end to one that should not go on. */
import { z } from "zod";
import { CALL_STATES, Call, CallDetail } from "../../contract/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { DoorContext } from "../door.ts";
import { matcher, PAGE, PAGE_HEADERS, page } from "../rest/page.ts";
import { type RestRequest, type RestRoute, route } from "../rest/route.ts";

const TAG = "Calls";
const ID = { id: "The call's number." };
const ALL = 1_000;

export function callRoutes({ calls }: DoorContext): readonly RestRoute[] {
  const noSuch = (request: RestRequest): ZaguanError =>
    new ZaguanError("NO_SUCH", { params: { kind: "call", name: (request.names["id"] ?? "").slice(0, 64) } });
  return [
    route({
      ...{ method: "GET", path: "/calls", operationId: "listCalls", tag: TAG },
      query: z.object({ ...PAGE, state: z.enum(CALL_STATES).optional() }),
      summary: "The last thousand calls, and those under way",
      description: "Administrators see everybody's, all others their own.",
      answers: {
        200: { description: "Those under way first, then the newest.", schema: z.array(Call), headers: PAGE_HEADERS },
      },
      handle: (request) => {
        const { search, state } = request.query;
        const fits = matcher(search);
        const all = [...calls.running(request.principal), ...calls.since(0, ALL, request.principal)];
        const found = all.filter(
          (call) =>
            (state === undefined || call.state === state) &&
            fits([call.tool, call.source, call.principal, call.door, call.outcome ?? undefined]),
        );
        return page(request, found);
      },
    }),
    route({
      ...{ method: "GET", path: "/calls/{id}", operationId: "getCall", tag: TAG, names: ID },
      summary: "One call: its way through the hub, with the time of each step",
      answers: { 200: { description: "Its arguments are without secrets.", schema: CallDetail } },
      handle: (request) => {
        const call = calls.find(idOf(request), request.principal);
        if (!call) throw noSuch(request);
        return { status: 200, body: call };
      },
    }),
    route({
      ...{ method: "DELETE", path: "/calls/{id}", operationId: "cancelCall", tag: TAG, names: ID },
      summary: "Cancel a call that waits or runs; its caller and its source are told",
      answers: { 204: { description: "It ends." } },
      handle: (request) => {
        const done = calls.cancel(idOf(request), request.principal);
        if (done === undefined) throw noSuch(request);
        if (done === "ended") throw new ZaguanError("ALREADY_ENDED", { params: { id: idOf(request) } });
        return { status: 204 };
      },
    }),
  ];
}

/** What is no number is nobody's. */
function idOf({ names }: RestRequest): number {
  return Number(names["id"] || Number.NaN);
}
