/** Where REST APIs become tools: described one by one or as HandsAI's providers (seed 004), or by an OpenAPI document. */
import { PLACES } from "../../contract/generated.ts";
import type { DoorFactory, Route } from "../door.ts";
import { lazyRestDoor } from "../rest/route.ts";

/** More than ten megabytes of a document, written as a string inside JSON. */
const DOCUMENT_BYTES = 16_000_000;
const TAKES_A_DOCUMENT: ReadonlySet<string> = new Set([
  "/admin/apis",
  "/admin/apis/preview",
  "/admin/apis/{id}/refresh",
]);

export const admin: DoorFactory = (context) => {
  const door = lazyRestDoor(context, "admin", PLACES.admin, async () => {
    const { adminRoutes } = await import("./routes.ts");
    return adminRoutes(context);
  });
  return { ...door, routes: door.routes.map(withRoom) };
};

function withRoom(route: Route): Route {
  return TAKES_A_DOCUMENT.has(route.path) ? { ...route, bodyBytes: DOCUMENT_BYTES } : route;
}
