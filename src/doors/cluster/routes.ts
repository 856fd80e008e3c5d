/** The routes of `/cluster/nodes`, loaded at the first request. A hub that runs alone has no nodes. */
import type { Nodes } from "../../contract/node.ts";
import { operations } from "../../contract/operations.ts";
import type { DoorContext } from "../door.ts";
import { noSuch } from "../rest/problem.ts";
import { idOf, type RestAnswer, type RestRequest, type RestRoute, route } from "../rest/route.ts";

const NO_NODES: Nodes = { nodes: [], missing: [], unheld: [] };

export function nodeRoutes({ cluster }: Pick<DoorContext, "cluster">): readonly RestRoute[] {
  const drain = async (request: Pick<RestRequest, "names">, isDraining: boolean): Promise<RestAnswer> => {
    const isDone = (await cluster?.drain(idOf(request), isDraining)) ?? false;
    if (!isDone) throw noSuch("node", idOf(request));
    return { status: 204 };
  };
  return [
    route(operations.cluster.listNodes, async () => ({ status: 200, body: (await cluster?.nodes()) ?? NO_NODES })),
    route(operations.cluster.drainNode, (request) => drain(request, true)),
    route(operations.cluster.undrainNode, (request) => drain(request, false)),
  ];
}
