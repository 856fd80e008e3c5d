/** `/api/import|export/providers`: whole APIs with their tools, as HandsAI takes them from one installation to another. */
import { DESCRIBED } from "../../apis/handsai/operations.ts";
import { providerView } from "../../apis/handsai/views.ts";
import type { DoorContext } from "../door.ts";
import { type RestRoute, route } from "../rest/route.ts";

export function providerRoutes({ apis }: DoorContext): readonly RestRoute[] {
  return [
    route(DESCRIBED.importProviders, async ({ body, principal }) => {
      const providers = await apis.providers.importAll(body, principal);
      return { status: 200, body: providers.map(providerView) };
    }),
    route(DESCRIBED.exportProviders, async ({ query }) => {
      const providers = await apis.providers.exportAll(codesIn(query.ids));
      return { status: 200, body: providers.map(providerView) };
    }),
  ];
}

/** Undefined where none is named. */
function codesIn(ids: string | undefined): readonly string[] | undefined {
  const codes = (ids ?? "").split(",").flatMap((code) => code.trim() || []);
  return codes.length > 0 ? [...new Set(codes)] : undefined;
}
