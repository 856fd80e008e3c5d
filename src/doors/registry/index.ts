/** The registry over HTTP: `/mcp/servers…`, `/mcp/tools…`, `/agents…` (seed 001, section 5). */
import type { DoorFactory } from "../door.ts";
import { lazyRestDoor } from "../rest/lazy.ts";

/** What is at each place is said in `routes.ts`; a test compares the two. */
export const REGISTRY_PLACES = [
  ["POST", "/mcp/servers"],
  ["GET", "/mcp/servers"],
  ["POST", "/mcp/servers/preview"],
  ["GET", "/mcp/servers/{id}"],
  ["PATCH", "/mcp/servers/{id}"],
  ["DELETE", "/mcp/servers/{id}"],
  ["POST", "/mcp/servers/{id}/discover"],
  ["POST", "/mcp/servers/{id}/refresh"],
  ["GET", "/mcp/servers/{id}/discovery"],
  ["POST", "/mcp/servers/{id}/restart"],
  ["GET", "/mcp/tools"],
  ["GET", "/mcp/tools/all"],
  ["GET", "/mcp/tools/{id}"],
  ["POST", "/agents"],
  ["GET", "/agents"],
  ["GET", "/agents/{id}"],
  ["PATCH", "/agents/{id}"],
  ["DELETE", "/agents/{id}"],
  ["POST", "/agents/{id}/bindings"],
  ["GET", "/agents/{id}/bindings"],
  ["PATCH", "/agents/{id}/bindings/{bindingId}"],
  ["DELETE", "/agents/{id}/bindings/{bindingId}"],
  ["POST", "/agents/{id}/key"],
  ["DELETE", "/agents/{id}/key"],
] as const;

export const registry: DoorFactory = (context) =>
  lazyRestDoor(context, "registry", REGISTRY_PLACES, async () => {
    const { registryRoutes } = await import("./routes.ts");
    return registryRoutes(context);
  });
