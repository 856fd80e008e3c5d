/** `GET /mcp/servers`: what is attached and how it is. Registering over HTTP comes with the registry. */
import type { DoorFactory } from "./door.ts";

export const registry: DoorFactory = (context) => ({
  name: "registry",
  routes: [
    {
      method: "GET",
      path: "/mcp/servers",
      handle: (exchange) => exchange.reply(200, JSON.stringify(context.status().sources)),
    },
  ],
});
