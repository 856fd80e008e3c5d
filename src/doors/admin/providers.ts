/** `/api/import|export/providers`: whole APIs with their tools, as HandsAI takes them from one installation to another. */
import { z } from "zod";
import { PROVIDER_VIEW, PROVIDERS } from "../../apis/handsai/schemas.ts";
import { providerView } from "../../apis/handsai/views.ts";
import type { DoorContext } from "../door.ts";
import { type RestRoute, route } from "../rest/route.ts";
import { bodyOf } from "./body.ts";

const TAG = "API tools";

const BODY = bodyOf(PROVIDERS);
const WANTED = z.object({
  ids: z.string().max(10_000).optional().describe("Codes of providers, with commas between them; all if it is absent."),
});

export function providerRoutes({ apis }: DoorContext): readonly RestRoute[] {
  return [
    route({
      ...{ method: "POST", path: "/api/import/providers", operationId: "importProviders", tag: TAG, body: BODY },
      summary: "Take providers and their tools in, all or none",
      description:
        "Known codes are changed; tools that are not named stay. A placeholder is no secret: what was there stays.",
      answers: {
        200: { description: "The providers as they are now, without secrets.", schema: z.array(PROVIDER_VIEW) },
      },
      handle: async ({ body, principal }) => {
        const providers = await apis.providers.importAll(body, principal);
        return { status: 200, body: providers.map(providerView) };
      },
    }),
    route({
      ...{ method: "GET", path: "/api/export/providers", operationId: "exportProviders", tag: TAG, query: WANTED },
      summary: "Providers and their tools, for an import elsewhere",
      answers: { 200: { description: "With placeholders where secrets were.", schema: z.array(PROVIDER_VIEW) } },
      handle: async ({ query }) => {
        const providers = await apis.providers.exportAll(codesIn(query.ids));
        return { status: 200, body: providers.map(providerView) };
      },
    }),
  ];
}

/** Undefined where none is named. */
function codesIn(ids: string | undefined): readonly string[] | undefined {
  const codes = (ids ?? "").split(",").flatMap((code) => code.trim() || []);
  return codes.length > 0 ? [...new Set(codes)] : undefined;
}
