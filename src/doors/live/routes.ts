/**
 * `/calls…`: the last calls and those under way, the steps of one call, and cancelling one; `/figures`: the last hour for a
 * chart. In a cluster those of all nodes. Loaded by the first who asks.
 */
import type { CallDetail } from "../../contract/call.ts";
import { operations } from "../../contract/operations.ts";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { DoorContext } from "../door.ts";
import { type PageQuery, page, pageHeaders } from "../rest/page.ts";
import { noSuch } from "../rest/problem.ts";
import { idOf, type RestAnswer, type RestRequest, type RestRoute, route } from "../rest/route.ts";
import { foundCalls, inOrder, MOST_OF_A_NODE, placeIn } from "./found-calls.ts";
import { mergedFigures, ownFigures } from "./merged-figures.ts";

type Cluster = NonNullable<DoorContext["cluster"]>;
type ListRequest = RestRequest<PageQuery & { readonly state?: "waiting" | "running" | "ended" | undefined }>;

export function liveRoutes(context: DoorContext): readonly RestRoute[] {
  const { cluster, calls } = context;
  const one = cluster ? oneOfAll(cluster) : oneOfOwn(calls);
  return [
    route(operations.live.listCalls, (request) =>
      cluster ? listAll(request, calls, cluster) : page(request, listOwn(request, calls)),
    ),
    route(operations.live.getCall, async (request) => {
      const call = await one.find(idOf(request), request.principal);
      if (!call) throw noSuch("call", idOf(request));
      return { status: 200, body: call };
    }),
    route(operations.live.cancelCall, async (request) => {
      const done = await one.cancel(idOf(request), request.principal);
      if (done === undefined) throw noSuch("call", idOf(request));
      if (done === "ended") throw new ZaguanError("ALREADY_ENDED", { params: { id: idOf(request) } });
      return { status: 204 };
    }),
    route(operations.live.getFigures, async () => ({ status: 200, body: await figuresOf(context) })),
  ];
}

function listOwn({ query: { search, state }, principal }: ListRequest, calls: DoorContext["calls"]) {
  return foundCalls(calls, { search, state, most: Number.POSITIVE_INFINITY }, principal).rows;
}

async function listAll(request: ListRequest, calls: DoorContext["calls"], cluster: Cluster): Promise<RestAnswer> {
  const { search, state, offset, limit } = request.query;
  const most = limit === undefined ? MOST_OF_A_NODE : offset + limit;
  const remote = await cluster.calls({ search, state, most }, request.principal);
  const own = listOwn(request, calls).map((row) => ({ ...row, node: cluster.node }));
  const all = inOrder([...own, ...remote.rows]);
  const headers = { ...pageHeaders(request, own.length + remote.total), ...missingHeader(remote.missing) };
  return { status: 200, body: all.slice(offset, offset + (limit ?? all.length)), headers };
}

function missingHeader(missing: readonly string[]): Readonly<Record<string, string>> {
  return missing.length === 0 ? {} : { "x-missing-nodes": missing.join(", ") };
}

/** Finds and cancels one call, by what stands in the path. */
interface OneCall {
  find(id: string, principal: Principal): CallDetail | undefined | Promise<CallDetail | undefined>;
  cancel(id: string, principal: Principal): ReturnType<Cluster["cancel"]> | Awaited<ReturnType<Cluster["cancel"]>>;
}

function oneOfOwn(calls: DoorContext["calls"]): OneCall {
  return {
    find: (id, principal) => calls.find(numberIn(id), principal),
    cancel: (id, principal) => calls.cancel(numberIn(id), principal),
  };
}

function oneOfAll(cluster: Cluster): OneCall {
  return {
    find: (id, principal) => cluster.call(placeIn(id, cluster.node), principal),
    cancel: (id, principal) => cluster.cancel(placeIn(id, cluster.node), principal),
  };
}

/** No call has the number NaN, which stands for an id that is none. */
function numberIn(id: string): number {
  return Number(id || Number.NaN);
}

async function figuresOf(context: DoorContext) {
  const own = ownFigures(context);
  const { cluster } = context;
  if (!cluster) return own;
  const { figures, missing } = await cluster.figures();
  return { ...mergedFigures(own, figures), nodes: [cluster.node, ...figures.map(({ node }) => node)].sort(), missing };
}
