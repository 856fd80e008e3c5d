/** `/admin/tools/api…`: tools that are described one by one, as HandsAI has them (seed 004). */
import { z } from "zod";
import { NEW_TOOL, TOOL_CHANGE, TOOL_VIEW } from "../../apis/handsai/schemas.ts";
import type { KeptTool, ToolInput } from "../../apis/handsai/types.ts";
import { changedTool, toolView } from "../../apis/handsai/views.ts";
import type { DoorContext } from "../door.ts";
import { checked } from "../rest/checked.ts";
import { matcher, PAGE, PAGE_HEADERS, page } from "../rest/page.ts";
import { type RestRequest, type RestRoute, route } from "../rest/route.ts";
import { bodyOf } from "./body.ts";

const TAG = "API tools";
const BODY = bodyOf(NEW_TOOL);
const CHANGE = bodyOf(TOOL_CHANGE);
const ID = { id: "The tool's id, or its code." };

export function toolRoutes(context: DoorContext): readonly RestRoute[] {
  return [...listRoutes(context), ...singleRoutes(context)];
}

function listRoutes({ apis }: DoorContext): readonly RestRoute[] {
  return [
    route({
      ...{ method: "POST", path: "/admin/tools/api", operationId: "createApiTool", tag: TAG, body: BODY },
      summary: "Describe a tool: one request to a REST API",
      answers: { 201: { description: "It is there from now on, at every door.", schema: TOOL_VIEW } },
      handle: async ({ body, principal }) => {
        const tool = await apis.tools.create(body, principal);
        return { status: 201, body: toolView(tool), headers: { location: `/admin/tools/api/${tool.id}` } };
      },
    }),
    route({
      ...{ method: "GET", path: "/admin/tools/api", operationId: "listApiTools", tag: TAG, query: z.object(PAGE) },
      summary: "All described tools, those of providers among them",
      answers: {
        200: { description: "In the order in which they came.", schema: z.array(TOOL_VIEW), headers: PAGE_HEADERS },
      },
      handle: async (request) => {
        const fits = matcher(request.query.search);
        const all = await apis.tools.list();
        const found = all.filter(({ name, code, description }) => fits([name, code, description]));
        return page(request, found.map(toolView));
      },
    }),
  ];
}

function singleRoutes({ apis }: DoorContext): readonly RestRoute[] {
  return [
    route({
      ...{ method: "GET", path: "/admin/tools/api/{id}", operationId: "getApiTool", tag: TAG, names: ID },
      summary: "One described tool",
      answers: { 200: { description: "The tool, without its secrets.", schema: TOOL_VIEW } },
      handle: async (request) => {
        return { status: 200, body: toolView(await apis.tools.find(idOf(request))) };
      },
    }),
    route({
      ...{ method: "PUT", path: "/admin/tools/api/{id}", operationId: "changeApiTool", tag: TAG, names: ID },
      body: CHANGE,
      summary: "Change a tool: what is absent or null stays",
      description: "Secrets that are not said stay as well, unless the tool moves to another origin.",
      answers: { 200: { description: "The tool, with the id that it had.", schema: TOOL_VIEW } },
      handle: async (request) => {
        const { body, language, principal } = request;
        const anew = (kept: KeptTool): ToolInput => checked(NEW_TOOL, changedTool(kept, body), language);
        const tool = await apis.tools.change(idOf(request), anew, principal);
        return { status: 200, body: toolView(tool) };
      },
    }),
    route({
      ...{ method: "DELETE", path: "/admin/tools/api/{id}", operationId: "deleteApiTool", tag: TAG, names: ID },
      summary: "Forget a described tool and its links",
      answers: { 204: { description: "It is gone." } },
      handle: async (request) => {
        await apis.tools.remove(idOf(request));
        return { status: 204 };
      },
    }),
    route({
      ...{
        method: "POST",
        path: "/admin/tools/api/{id}/validate",
        operationId: "validateApiTool",
        tag: TAG,
        names: ID,
      },
      summary: "Ask the API now, in a way that changes nothing there",
      answers: { 200: { description: "The tool, and whether it is healthy.", schema: TOOL_VIEW } },
      handle: async (request) => {
        return { status: 200, body: toolView(await apis.tools.validate(idOf(request))) };
      },
    }),
  ];
}

function idOf({ names }: RestRequest): string {
  return names["id"] ?? "";
}
