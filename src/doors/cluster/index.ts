/** `/cluster/nodes`: the nodes of a cluster, and draining one. */
import { PLACES } from "../../contract/generated.ts";
import type { DoorFactory } from "../door.ts";
import { lazyRestDoor } from "../rest/route.ts";

export const cluster: DoorFactory = (context) =>
  lazyRestDoor(context, "cluster", PLACES.cluster, async () => {
    const { nodeRoutes } = await import("./routes.ts");
    return nodeRoutes(context);
  });
