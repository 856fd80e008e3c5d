/** `/house…`: the simulated house, and every home that runs Home Assistant. Loaded by the first who asks. */
import { operations } from "../../contract/operations.ts";
import { isLimited } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { DoorContext } from "../door.ts";
import { type RestRoute, route } from "../rest/route.ts";

/** Callers who may use this tool may see the simulated house here, too. */
const READING_TOOL = "house__get_all_states";

export function houseRoutes({ gateway, houseLive }: DoorContext): readonly RestRoute[] {
  const maySee = (principal: Principal): boolean =>
    !isLimited(principal) || gateway.findTool(principal, READING_TOOL) !== undefined;
  return [
    route(operations.home.getHouses, async ({ principal }) => {
      const [house, homes] = await Promise.all([
        maySee(principal) ? houseLive?.house() : null,
        isLimited(principal) ? [] : houseLive?.homes(),
      ]);
      return { status: 200, body: { house: house ?? null, homes: homes ?? [] } };
    }),
    route(operations.home.setPresence, async ({ body }) => {
      const house = await houseLive?.setPresence(body.people);
      if (!house) throw new ZaguanError("NO_HOUSE");
      return { status: 200, body: house };
    }),
  ];
}
