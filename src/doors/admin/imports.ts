/** `/admin/apis…`: APIs that come as OpenAPI documents. */
import { z } from "zod";
import {
  ImportChange,
  ImportedApi,
  ImportPreview,
  NewImport,
  Refreshed,
  RefreshInput,
  ShownOperation,
} from "../../contract/api.ts";
import type { DoorContext } from "../door.ts";
import { matcher, PAGE, PAGE_HEADERS, page } from "../rest/page.ts";
import { type RestRequest, type RestRoute, route } from "../rest/route.ts";
import { importView, refreshedView } from "./views.ts";

const TAG = "APIs";
const ID = { id: "The API's id, or its name." };

export function importRoutes(context: DoorContext): readonly RestRoute[] {
  return [...beginningRoutes(context), ...lifeRoutes(context), ...operationRoutes(context)];
}

function beginningRoutes({ apis }: DoorContext): readonly RestRoute[] {
  return [
    route({
      ...{ method: "POST", path: "/admin/apis/preview", operationId: "previewApi", tag: TAG, body: NewImport },
      summary: "Read an OpenAPI document, and import nothing",
      answers: {
        200: { description: "What an import would give, and what there is to choose.", schema: ImportPreview },
      },
      handle: async ({ body, principal }) => ({ status: 200, body: await apis.imports.preview(body, principal) }),
    }),
    route({
      ...{ method: "POST", path: "/admin/apis", operationId: "importApi", tag: TAG, body: NewImport },
      summary: "Import an API: each operation of its OpenAPI document becomes a tool",
      answers: { 201: { description: "Its tools are there from now on.", schema: ImportedApi } },
      handle: async ({ body, principal }) => {
        const api = await apis.imports.create(body, principal);
        return { status: 201, body: importView(api), headers: { location: `/admin/apis/${api.id}` } };
      },
    }),
    route({
      ...{ method: "GET", path: "/admin/apis", operationId: "listApis", tag: TAG, query: z.object(PAGE) },
      summary: "All imported APIs",
      answers: {
        200: { description: "In the order in which they came.", schema: z.array(ImportedApi), headers: PAGE_HEADERS },
      },
      handle: async (request) => {
        const fits = matcher(request.query.search);
        const found = (await apis.imports.list()).filter(({ name, title }) => fits([name, title]));
        return page(request, found.map(importView));
      },
    }),
  ];
}

function lifeRoutes({ apis }: DoorContext): readonly RestRoute[] {
  return [
    route({
      ...{ method: "GET", path: "/admin/apis/{id}", operationId: "getApi", tag: TAG, names: ID },
      summary: "One imported API",
      answers: { 200: { description: "The API.", schema: ImportedApi } },
      handle: async (request) => {
        return { status: 200, body: importView(await apis.imports.find(idOf(request))) };
      },
    }),
    route({
      ...{ method: "PATCH", path: "/admin/apis/{id}", operationId: "changeApi", tag: TAG, names: ID },
      body: ImportChange,
      summary: "Change an imported API",
      answers: { 200: { description: "What is absent stays as it was.", schema: ImportedApi } },
      handle: async (request) => {
        const api = await apis.imports.change(idOf(request), request.body, request.principal);
        return { status: 200, body: importView(api) };
      },
    }),
    route({
      ...{ method: "DELETE", path: "/admin/apis/{id}", operationId: "deleteApi", tag: TAG, names: ID },
      summary: "Forget an imported API, its tools and their links",
      answers: { 204: { description: "It is gone." } },
      handle: async (request) => {
        await apis.imports.remove(idOf(request));
        return { status: 204 };
      },
    }),
  ];
}

function operationRoutes({ apis }: DoorContext): readonly RestRoute[] {
  return [
    route({
      ...{ method: "GET", path: "/admin/apis/{id}/operations", operationId: "listApiOperations", tag: TAG, names: ID },
      query: z.object(PAGE),
      summary: "The operations of an imported API, each of which is a tool",
      answers: {
        200: { description: "As in its document.", schema: z.array(ShownOperation), headers: PAGE_HEADERS },
      },
      handle: async (request) => {
        const fits = matcher(request.query.search);
        const all = await apis.imports.operations(idOf(request));
        return page(
          request,
          all.filter(({ name, method, path, description }) => fits([name, `${method} ${path}`, description])),
        );
      },
    }),
    route({
      ...{ method: "POST", path: "/admin/apis/{id}/refresh", operationId: "refreshApi", tag: TAG, names: ID },
      body: RefreshInput,
      summary: "Read an API's document again",
      description: "Known tools keep their ids and their links.",
      answers: { 200: { description: "What changed, or with `dryRun` what would.", schema: Refreshed } },
      handle: async (request) => {
        const refreshed = await apis.imports.refresh(idOf(request), request.body, request.principal);
        return { status: 200, body: refreshedView(refreshed) };
      },
    }),
  ];
}

function idOf({ names }: RestRequest): string {
  return names["id"] ?? "";
}
