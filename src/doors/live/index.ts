/** What happens, while it happens: `GET /events` for those who stay, `/calls` and `/figures` for those who ask once. */
import { PLACES } from "../../contract/generated.ts";
import type { Door, DoorContext } from "../door.ts";
import { sendProblem } from "../rest/problem.ts";
import { lazyRestDoor } from "../rest/route.ts";
import { LiveStreams } from "./streams.ts";

export function live(context: DoorContext): Door {
  const streams = new LiveStreams(context);
  const rest = lazyRestDoor(context, "live", PLACES.live, async () => {
    const { liveRoutes } = await import("./routes.ts");
    return liveRoutes(context);
  });
  return {
    name: "live",
    routes: [
      ...rest.routes,
      { method: "GET", path: "/events", needs: "see", handle: (exchange) => streams.open(exchange), fail: sendProblem },
    ],
    open: () => ({ streams: streams.size }),
    close: () => streams.close(),
  };
}
