/** `/admin/apis…`: APIs that come as OpenAPI documents. */
import { operations } from "../../contract/operations.ts";
import type { DoorContext } from "../door.ts";
import { matcher, page } from "../rest/page.ts";
import { type RestRequest, type RestRoute, route } from "../rest/route.ts";
import { importView, refreshedView } from "./views.ts";

export function importRoutes(context: DoorContext): readonly RestRoute[] {
  return [...beginningRoutes(context), ...lifeRoutes(context), ...operationRoutes(context)];
}

function beginningRoutes({ apis }: DoorContext): readonly RestRoute[] {
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

function lifeRoutes({ apis }: DoorContext): readonly RestRoute[] {
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
  ];
}

function operationRoutes({ apis }: DoorContext): readonly RestRoute[] {
  return [
    route(operations.admin.listApiOperations, async (request) => {
      const fits = matcher(request.query.search);
      const all = await apis.imports.operations(idOf(request));
      return page(
        request,
        all.filter(({ name, method, path, description }) => fits([name, `${method} ${path}`, description])),
      );
    }),
    route(operations.admin.refreshApi, async (request) => {
      const refreshed = await apis.imports.refresh(idOf(request), request.body, request.principal);
      return { status: 200, body: refreshedView(refreshed) };
    }),
  ];
}

function idOf({ names }: RestRequest): string {
  return names["id"] ?? "";
}
