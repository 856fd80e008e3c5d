/**
 * All endpoints of the admin door: tools that are described one by one, HandsAI's providers, and APIs that come as OpenAPI
 * documents. Loaded by the first who asks for one: a start must not wait for their schemas.
 */
import { DESCRIBED } from "../../apis/handsai/operations.ts";
import { NEW_TOOL } from "../../apis/handsai/schemas.ts";
import type { KeptTool, ToolInput } from "../../apis/handsai/types.ts";
import { changedTool, providerView, toolView } from "../../apis/handsai/views.ts";
import type { ImportedApi } from "../../contract/api.ts";
import { operations } from "../../contract/operations.ts";
import { maskedAddress } from "../../security/entry-secrets.ts";
import type { DoorContext } from "../door.ts";
import { checked } from "../rest/checked.ts";
import { matcher, page } from "../rest/page.ts";
import { idOf, type RestRoute, route } from "../rest/route.ts";

export function adminRoutes(context: DoorContext): readonly RestRoute[] {
  return [
    ...toolListRoutes(context),
    ...toolRoutes(context),
    ...providerRoutes(context),
    ...importListRoutes(context),
    ...importRoutes(context),
  ];
}

/** `/admin/tools/api`: tools that are described one by one, as HandsAI has them (seed 004). */
function toolListRoutes({ apis }: DoorContext): readonly RestRoute[] {
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

/** `/admin/tools/api/{id}` */
function toolRoutes({ apis }: DoorContext): readonly RestRoute[] {
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

/** `/api/import|export/providers`: whole APIs with their tools, as HandsAI takes them from one installation to another. */
function providerRoutes({ apis }: DoorContext): readonly RestRoute[] {
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

/** `/admin/apis`: APIs that come as OpenAPI documents. */
function importListRoutes({ apis }: DoorContext): readonly RestRoute[] {
  return [
    route(operations.admin.previewApi, async ({ body, principal }) => ({
      status: 200,
      body: await apis.imports.preview(body, principal),
    })),
    route(operations.admin.importApi, async ({ body, principal }) => {
      const api = await apis.imports.create(body, principal);
      return { status: 201, body: importView(api), headers: { location: `/admin/apis/${api.id}` } };
    }),
    route(operations.admin.listApis, async (request) => {
      const fits = matcher(request.query.search);
      const found = (await apis.imports.list()).filter(({ name, title }) => fits([name, title]));
      return page(request, found.map(importView));
    }),
  ];
}

/** `/admin/apis/{id}…` */
function importRoutes({ apis }: DoorContext): readonly RestRoute[] {
  return [
    route(operations.admin.getApi, async (request) => {
      return { status: 200, body: importView(await apis.imports.find(idOf(request))) };
    }),
    route(operations.admin.changeApi, async (request) => {
      const api = await apis.imports.change(idOf(request), request.body, request.principal);
      return { status: 200, body: importView(api) };
    }),
    route(operations.admin.deleteApi, async (request) => {
      await apis.imports.remove(idOf(request));
      return { status: 204 };
    }),
    route(operations.admin.listApiOperations, async (request) => {
      const fits = matcher(request.query.search);
      const all = await apis.imports.operations(idOf(request));
      return page(
        request,
        all.filter(({ name, method, path, description }) => fits([name, `${method} ${path}`, description])),
      );
    }),
    route(operations.admin.refreshApi, async (request) => {
      const { api, changes, skipped } = await apis.imports.refresh(idOf(request), request.body, request.principal);
      return { status: 200, body: { api: importView(api), changes, skipped } };
    }),
  ];
}

/** An imported API without its credentials, which are sealed. */
function importView(api: ImportedApi): object {
  return { ...api, url: api.url === null ? null : maskedAddress(api.url), baseUrl: maskedAddress(api.baseUrl) };
}
