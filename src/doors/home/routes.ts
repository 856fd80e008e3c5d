/** `/house…`: the simulated house, and every home that runs Home Assistant. Loaded by the first who asks. */

import { House, Houses, Presence } from "../../contract/house.ts";
import { isLimited } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { DoorContext } from "../door.ts";
import { type RestRoute, route } from "../rest/route.ts";

const TAG = "House";
/** Who may use it may know what it tells. */
const READING_TOOL = "house__get_all_states";

export function houseRoutes({ gateway, houseLive }: DoorContext): readonly RestRoute[] {
  const maySee = (principal: Principal): boolean =>
    !isLimited(principal) || gateway.findTool(principal, READING_TOOL) !== undefined;
  return [
    route({
      ...{ method: "GET", path: "/house", operationId: "getHouses", tag: TAG },
      summary: "The simulated house, and every Home Assistant with its entities by area",
      description: "At most 500 entities of each home. Who may use some tools only sees what these would tell it.",
      answers: { 200: { description: "As they are now.", schema: Houses } },
      handle: async ({ principal }) => {
        const [house, homes] = await Promise.all([
          maySee(principal) ? houseLive?.house() : null,
          isLimited(principal) ? [] : houseLive?.homes(),
        ]);
        return { status: 200, body: { house: house ?? null, homes: homes ?? [] } };
      },
    }),
    route({
      ...{ method: "PUT", path: "/house/presence", operationId: "setPresence", tag: TAG },
      summary: "Say who is in the simulated house",
      body: Presence,
      answers: { 200: { description: "The house as it is then.", schema: House } },
      handle: async ({ body }) => {
        const house = await houseLive?.setPresence(body.people);
        if (!house) throw new ZaguanError("NO_HOUSE");
        return { status: 200, body: house };
      },
    }),
  ];
}
