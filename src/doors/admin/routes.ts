/** All endpoints of this door. Loaded by the first who asks for one: a start must not wait for their schemas. */
import type { DoorContext } from "../door.ts";
import type { RestRoute } from "../rest/route.ts";
import { importRoutes } from "./imports.ts";
import { providerRoutes } from "./providers.ts";
import { toolRoutes } from "./tools.ts";

export function adminRoutes(context: DoorContext): readonly RestRoute[] {
  return [...toolRoutes(context), ...providerRoutes(context), ...importRoutes(context)];
}
