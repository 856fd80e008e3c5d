/** `GET /health`: whether the hub answers, and how its sources are. Open to everybody, so it names no reasons. */
import type { DoorFactory } from "./door.ts";

export const health: DoorFactory = (context) => ({
  name: "health",
  routes: [
    {
      method: "GET",
      path: "/health",
      public: true,
      handle: (exchange) => {
        const { version, uptimeSeconds, callsInFlight, sources } = context.status();
        const states = sources.map(({ name, kind, state, tools }) => ({ name, kind, state, tools }));
        exchange.reply(
          200,
          JSON.stringify({ status: "healthy", version, uptimeSeconds, callsInFlight, sources: states }),
        );
      },
    },
  ],
});
