/** `/keys`: API keys over HTTP, for administrators. An agent's own key is made at `/agents/{id}/key`. */
import type { DoorFactory } from "../door.ts";
import { lazyRestDoor } from "../rest/lazy.ts";

/** What is at each place is said in `routes.ts`; a test compares the two. */
export const KEY_PLACES = [
  ["GET", "/keys", "admin"],
  ["POST", "/keys", "admin"],
  ["DELETE", "/keys/{id}", "admin"],
] as const;

export const keys: DoorFactory = (context) =>
  lazyRestDoor(context, "keys", KEY_PLACES, async () => {
    const { keyRoutes } = await import("./routes.ts");
    return keyRoutes(context);
  });
