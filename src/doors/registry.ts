/** `GET /mcp/servers`: what is attached and how it is. Registering over HTTP comes with the registry. */
import type { DoorFactory } from "./door.ts";

export const registry: DoorFactory = (context) => ({
  name: "registry",
  routes: [
    {
      method: "GET",
      path: "/mcp/servers",
      handle: (exchange) => {
        const { sources } = context.status();
        // What a server wrote to its log is for those who may see everything.
        const shown = exchange.principal.allow
          ? sources.map((source) => ({ ...source, lastError: null, log: [] }))
          : sources;
        exchange.reply(200, JSON.stringify(shown));
      },
    },
  ],
});
