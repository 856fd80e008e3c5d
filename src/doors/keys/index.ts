/** `/keys`: API keys over HTTP, for administrators. An agent's own key is made at `/agents/{id}/key`. */
import { PLACES } from "../../contract/generated.ts";
import type { DoorFactory } from "../door.ts";
import { lazyRestDoor } from "../rest/route.ts";

export const keys: DoorFactory = (context) =>
  lazyRestDoor(context, "keys", PLACES.keys, async () => {
    const { keyRoutes } = await import("./routes.ts");
    return keyRoutes(context);
  });
