/** `/admin/tools/api…`: tools that are described one by one, as HandsAI has them (seed 004). */
import { DESCRIBED } from "../../apis/handsai/operations.ts";
import { NEW_TOOL } from "../../apis/handsai/schemas.ts";
import type { KeptTool, ToolInput } from "../../apis/handsai/types.ts";
import { changedTool, toolView } from "../../apis/handsai/views.ts";
import type { DoorContext } from "../door.ts";
import { checked } from "../rest/checked.ts";
import { matcher, page } from "../rest/page.ts";
import { type RestRequest, type RestRoute, route } from "../rest/route.ts";

export function toolRoutes(context: DoorContext): readonly RestRoute[] {
  return [...listRoutes(context), ...singleRoutes(context)];
}

function listRoutes({ apis }: DoorContext): readonly RestRoute[] {
  return [
    route(DESCRIBED.createApiTool, async ({ body, principal }) => {
      const tool = await apis.tools.create(body, principal);
      return { status: 201, body: toolView(tool), headers: { location: `/admin/tools/api/${tool.id}` } };
    }),
    route(DESCRIBED.listApiTools, async (request) => {
      const fits = matcher(request.query.search);
      const all = await apis.tools.list();
      const found = all.filter(({ name, code, description }) => fits([name, code, description]));
      return page(request, found.map(toolView));
    }),
  ];
}

function singleRoutes({ apis }: DoorContext): readonly RestRoute[] {
  return [
    route(DESCRIBED.getApiTool, async (request) => {
      return { status: 200, body: toolView(await apis.tools.find(idOf(request))) };
    }),
    route(DESCRIBED.changeApiTool, async (request) => {
      const { body, language, principal } = request;
      const anew = (kept: KeptTool): ToolInput => checked(NEW_TOOL, changedTool(kept, body), language);
      const tool = await apis.tools.change(idOf(request), anew, principal);
      return { status: 200, body: toolView(tool) };
    }),
    route(DESCRIBED.deleteApiTool, async (request) => {
      await apis.tools.remove(idOf(request));
      return { status: 204 };
    }),
    route(DESCRIBED.validateApiTool, async (request) => {
      return { status: 200, body: toolView(await apis.tools.validate(idOf(request))) };
    }),
  ];
}

function idOf({ names }: RestRequest): string {
  return names["id"] ?? "";
}
