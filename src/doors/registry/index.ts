/** The registry over HTTP: `/mcp/servers…`, `/mcp/tools…`, `/agents…` (seed 001, section 5). */
import { PLACES } from "../../contract/generated.ts";
import type { DoorFactory } from "../door.ts";
import { lazyRestDoor } from "../rest/route.ts";

export const registry: DoorFactory = (context) =>
  lazyRestDoor(context, "registry", PLACES.registry, async () => {
    const { registryRoutes } = await import("./routes.ts");
    return registryRoutes(context);
  });
