/**
 * Where REST APIs become tools: described one by one or as HandsAI's providers (seed 004), or by an OpenAPI document. For
 * those who may use everything.
 */
import { isLimited } from "../../core/access.ts";
import { ZaguanError } from "../../errors.ts";
import type { DoorFactory, Route } from "../door.ts";
import { lazyRestDoor } from "../rest/lazy.ts";

/** What is at each place is said in `routes.ts`; a test compares the two. */
export const ADMIN_PLACES = [
  ["POST", "/admin/tools/api"],
  ["GET", "/admin/tools/api"],
  ["GET", "/admin/tools/api/{id}"],
  ["PUT", "/admin/tools/api/{id}"],
  ["DELETE", "/admin/tools/api/{id}"],
  ["POST", "/admin/tools/api/{id}/validate"],
  ["POST", "/api/import/providers"],
  ["GET", "/api/export/providers"],
  ["POST", "/admin/apis/preview"],
  ["POST", "/admin/apis"],
  ["GET", "/admin/apis"],
  ["GET", "/admin/apis/{id}"],
  ["PATCH", "/admin/apis/{id}"],
  ["DELETE", "/admin/apis/{id}"],
  ["GET", "/admin/apis/{id}/operations"],
  ["POST", "/admin/apis/{id}/refresh"],
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
  return { ...door, routes: door.routes.map(guarded) };
};

/** Who may not is told so before any of the body is read: it may be large. */
function guarded(route: Route): Route {
  return {
    ...route,
    ...(TAKES_A_DOCUMENT.has(route.path) && { bodyBytes: DOCUMENT_BYTES }),
    handle: (exchange) => {
      if (isLimited(exchange.principal)) throw new ZaguanError("FORBIDDEN");
      return route.handle(exchange);
    },
  };
}
