/** Where REST APIs become tools: described one by one or as HandsAI's providers (seed 004), or by an OpenAPI document. */
import type { DoorFactory, Route } from "../door.ts";
import { lazyRestDoor } from "../rest/lazy.ts";

/** What is at each place is said in `routes.ts`; a test compares the two. */
export const ADMIN_PLACES = [
  ["POST", "/admin/tools/api", "admin"],
  ["GET", "/admin/tools/api", "unlimited"],
  ["GET", "/admin/tools/api/{id}", "unlimited"],
  ["PUT", "/admin/tools/api/{id}", "admin"],
  ["DELETE", "/admin/tools/api/{id}", "admin"],
  ["POST", "/admin/tools/api/{id}/validate", "admin"],
  ["POST", "/api/import/providers", "admin"],
  ["GET", "/api/export/providers", "unlimited"],
  ["POST", "/admin/apis/preview", "admin"],
  ["POST", "/admin/apis", "admin"],
  ["GET", "/admin/apis", "unlimited"],
  ["GET", "/admin/apis/{id}", "unlimited"],
  ["PATCH", "/admin/apis/{id}", "admin"],
  ["DELETE", "/admin/apis/{id}", "admin"],
  ["GET", "/admin/apis/{id}/operations", "unlimited"],
  ["POST", "/admin/apis/{id}/refresh", "admin"],
] as const;

/** More than ten megabytes of a document, written as a string inside JSON. */
const DOCUMENT_BYTES = 16_000_000;
const TAKES_A_DOCUMENT: ReadonlySet<string> = new Set([
  "/admin/apis",
  "/admin/apis/preview",
  "/admin/apis/{id}/refresh",
]);

export const admin: DoorFactory = (context) => {
  const door = lazyRestDoor(context, "admin", ADMIN_PLACES, async () => {
    const { adminRoutes } = await import("./routes.ts");
    return adminRoutes(context);
  });
  return { ...door, routes: door.routes.map(withRoom) };
};

function withRoom(route: Route): Route {
  return TAKES_A_DOCUMENT.has(route.path) ? { ...route, bodyBytes: DOCUMENT_BYTES } : route;
}
