/** All endpoints of the registry. Loaded by the first who asks for one: a start must not wait for their schemas. */
import type { DoorContext } from "../door.ts";
import type { RestRoute } from "../rest/route.ts";
import { agentRoutes } from "./agents.ts";
import { serverRoutes } from "./servers.ts";
import { toolRoutes } from "./tools.ts";

export function registryRoutes(context: DoorContext): readonly RestRoute[] {
  return [...serverRoutes(context), ...toolRoutes(context), ...agentRoutes(context)];
}
