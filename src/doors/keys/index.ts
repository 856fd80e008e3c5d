/** `/keys`: API keys over HTTP, for administrators. An agent's own key is made at `/agents/{id}/key`. */
import { ZaguanError } from "../../errors.ts";
import type { DoorFactory, Route } from "../door.ts";
import { lazyRestDoor } from "../rest/lazy.ts";

/** What is at each place is said in `routes.ts`; a test compares the two. */
export const KEY_PLACES = [
  ["GET", "/keys"],
  ["POST", "/keys"],
  ["DELETE", "/keys/{id}"],
] as const;

export const keys: DoorFactory = (context) => {
  const door = lazyRestDoor(context, "keys", KEY_PLACES, async () => {
    const { keyRoutes } = await import("./routes.ts");
    return keyRoutes(context);
  });
  return { ...door, routes: door.routes.map(guarded) };
};

/** Who may not is told so whatever the body says. */
function guarded(route: Route): Route {
  return {
    ...route,
    handle: (exchange) => {
      if (!exchange.principal.admin) throw new ZaguanError("FORBIDDEN");
      return route.handle(exchange);
    },
  };
}
