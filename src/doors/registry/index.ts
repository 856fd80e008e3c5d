/** The registry over HTTP: `/mcp/servers…`, `/mcp/tools…`, `/agents…` (seed 001, section 5). */
import type { DoorFactory } from "../door.ts";
import { lazyRestDoor } from "../rest/lazy.ts";

/** What is at each place is said in `routes.ts`; a test compares the two. */
export const REGISTRY_PLACES = [
  ["POST", "/mcp/servers", "admin"],
  ["GET", "/mcp/servers", "see"],
  ["POST", "/mcp/servers/preview", "admin"],
  ["GET", "/mcp/servers/{id}", "see"],
  ["PATCH", "/mcp/servers/{id}", "admin"],
  ["DELETE", "/mcp/servers/{id}", "admin"],
  ["POST", "/mcp/servers/{id}/discover", "admin"],
  ["POST", "/mcp/servers/{id}/refresh", "admin"],
  ["GET", "/mcp/servers/{id}/discovery", "unlimited"],
  ["POST", "/mcp/servers/{id}/restart", "admin"],
  ["GET", "/mcp/tools", "see"],
  ["GET", "/mcp/tools/all", "see"],
  ["GET", "/mcp/tools/{id}", "see"],
  ["POST", "/agents", "admin"],
  ["GET", "/agents", "unlimited"],
  ["GET", "/agents/{id}", "see"],
  ["PATCH", "/agents/{id}", "admin"],
  ["DELETE", "/agents/{id}", "admin"],
  ["POST", "/agents/{id}/bindings", "admin"],
  ["GET", "/agents/{id}/bindings", "see"],
  ["PATCH", "/agents/{id}/bindings/{bindingId}", "admin"],
  ["DELETE", "/agents/{id}/bindings/{bindingId}", "admin"],
  ["POST", "/agents/{id}/key", "admin"],
  ["DELETE", "/agents/{id}/key", "admin"],
] as const;

export const registry: DoorFactory = (context) =>
  lazyRestDoor(context, "registry", REGISTRY_PLACES, async () => {
    const { registryRoutes } = await import("./routes.ts");
    return registryRoutes(context);
  });
