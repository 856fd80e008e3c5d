/** The houses as they are now: `GET /house`, and who is in the simulated one: `PUT /house/presence`. */
import type { DoorFactory } from "../door.ts";
import { lazyRestDoor } from "../rest/lazy.ts";

/** What is at each place is said in `routes.ts`; a test compares the two. */
export const HOUSE_PLACES = [
  ["GET", "/house", "see"],
  ["PUT", "/house/presence", "admin"],
] as const;

export const home: DoorFactory = (context) =>
  lazyRestDoor(context, "home", HOUSE_PLACES, async () => {
    const { houseRoutes } = await import("./routes.ts");
    return houseRoutes(context);
  });
