/** The houses as they are now: `GET /house`, and who is in the simulated one: `PUT /house/presence`. */
import { PLACES } from "../../contract/generated.ts";
import type { DoorFactory } from "../door.ts";
import { lazyRestDoor } from "../rest/route.ts";

export const home: DoorFactory = (context) =>
  lazyRestDoor(context, "home", PLACES.home, async () => {
    const { houseRoutes } = await import("./routes.ts");
    return houseRoutes(context);
  });
