/** `/mcp/servers…`: registering servers, and asking them for their tools (seed 001, section 5). */
import { z } from "zod";
import { Discovered, Discovery, NewServer, Server, ServerChange } from "../../contract/server.ts";
import { isLimited } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { say } from "../../messages/catalogue.ts";
import type { ServerRecord, ToolRecord } from "../../store/registry.ts";
import type { DoorContext, SourceSummary } from "../door.ts";
import { PAGE, PAGE_HEADERS, page } from "../rest/page.ts";
import { type RestRequest, type RestRoute, route } from "../rest/route.ts";
import { named } from "./tools.ts";
import { discoveryView, serverView, toolView } from "./views.ts";

const TAG = "Servers";
const LINES_IN_A_LIST = 20;
const ID = { id: "The server's id, its name or its slug." };

export function serverRoutes(context: DoorContext): readonly RestRoute[] {
  const { servers, tables } = context.registry;
  const views = (records: readonly ServerRecord[], { principal }: RestRequest): Server[] => {
    const live = new Map(context.status().sources.map((source) => [source.name, source]));
    // Of many, the last lines will do: a log may be as long as a page of the list otherwise.
    const liveOf = (name: string): SourceSummary | undefined => {
      const source = live.get(name);
      return source && records.length > 1 ? { ...source, log: source.log.slice(-LINES_IN_A_LIST) } : source;
    };
    return records.map((record) => serverView(record, liveOf(record.name), !isLimited(principal)));
  };
  const view = (record: ServerRecord, request: RestRequest): Server | undefined => views([record], request)[0];
  /** A server of which somebody may use nothing does not exist for them. */
  const isFor = (principal: Principal, record: ServerRecord): boolean =>
    isShown(record) && (!isLimited(principal) || context.servers.isReachable(record.name, principal));
  const find = async (request: RestRequest): Promise<ServerRecord> => {
    const record = await servers.find(idOf(request));
    if (isFor(request.principal, record)) return record;
    throw new ZaguanError("NO_SUCH", { params: { kind: "server", name: idOf(request).slice(0, 64) } });
  };
  return [
    route({
      ...{ method: "POST", path: "/mcp/servers", operationId: "createServer", tag: TAG, body: NewServer },
      summary: "Register a server",
      answers: { 201: { description: "It is registered; nothing was asked of it yet.", schema: Server } },
      handle: async (request) => {
        const record = await servers.create(request.body, request.principal);
        return { status: 201, body: view(record, request), headers: { location: `/mcp/servers/${record.id}` } };
      },
    }),
    route({
      ...{ method: "GET", path: "/mcp/servers", operationId: "listServers", tag: TAG, query: z.object(PAGE) },
      summary: "All servers: registered, configured and built in",
      answers: {
        200: { description: "In the order in which they came.", schema: z.array(Server), headers: PAGE_HEADERS },
      },
      handle: async (request) => {
        const records = await tables.servers.list({ search: request.query.search });
        const own = records.filter((record) => isFor(request.principal, record));
        return page(request, views(own, request));
      },
    }),
    route({
      ...{ method: "GET", path: "/mcp/servers/{id}", operationId: "getServer", tag: TAG, names: ID },
      summary: "One server",
      answers: { 200: { description: "The server.", schema: Server } },
      handle: async (request) => ({ status: 200, body: view(await find(request), request) }),
    }),
    route({
      ...{
        method: "PATCH",
        path: "/mcp/servers/{id}",
        operationId: "changeServer",
        tag: TAG,
        names: ID,
        body: ServerChange,
      },
      summary: "Change a registered server",
      answers: { 200: { description: "What is absent stays as it was.", schema: Server } },
      handle: async (request) => {
        const record = await servers.change(idOf(request), request.body, request.principal);
        return { status: 200, body: view(record, request) };
      },
    }),
    route({
      ...{ method: "DELETE", path: "/mcp/servers/{id}", operationId: "deleteServer", tag: TAG, names: ID },
      summary: "Forget a registered server, its tools and their links",
      answers: { 204: { description: "It is gone." } },
      handle: async (request) => {
        await servers.remove(idOf(request));
        return { status: 204 };
      },
    }),
    route({
      ...{ method: "POST", path: "/mcp/servers/{id}/discover", operationId: "discoverTools", tag: TAG, names: ID },
      summary: "Ask the server for its tools, now",
      answers: { 200: { description: "What it offers.", schema: Discovered } },
      handle: async (request) => {
        return { status: 200, body: listOf(context, await servers.discover(idOf(request))) };
      },
    }),
    route({
      ...{ method: "POST", path: "/mcp/servers/{id}/refresh", operationId: "refreshTools", tag: TAG, names: ID },
      summary: "Ask the server for its tools again",
      description: "Known tools keep their ids and their links; those that are not listed any more are marked missing.",
      answers: {
        200: { description: "What it offers.", schema: z.object({ message: z.string(), tools: Discovered }) },
      },
      handle: async (request) => {
        const tools = listOf(context, await servers.discover(idOf(request)));
        return { status: 200, body: { message: say(request.language, "registry.refreshed"), tools } };
      },
    }),
    route({
      ...{ method: "GET", path: "/mcp/servers/{id}/discovery", operationId: "discoveryLog", tag: TAG, names: ID },
      summary: "What was tried to find the server's tools",
      answers: { 200: { description: "The newest first.", schema: z.array(Discovery) } },
      handle: async (request) => {
        const log = await servers.log(idOf(request));
        return { status: 200, body: log.map((one) => discoveryView(one, request.language)) };
      },
    }),
    route({
      ...{ method: "POST", path: "/mcp/servers/{id}/restart", operationId: "restartServer", tag: TAG, names: ID },
      summary: "End the server's process or connection and start it anew",
      description:
        "For every server, wherever it comes from. Calls under way fail with an unknown outcome; those that wait go on " +
        "waiting. One that was given up is tried again at once. A device is greeted anew on its socket; the house, an API " +
        "or an ability, which hold no connection, are opened anew.",
      answers: {
        200: {
          description: "As it stands when it is up, could not be brought up, or has taken more than five seconds.",
          schema: Server,
        },
      },
      handle: async (request) => {
        await orLater(servers.restart(idOf(request)));
        return { status: 200, body: view(await servers.find(idOf(request)), request) };
      },
    }),
  ];
}

/** Programs that are fetched before they start may take their time: then the state says how far they are. */
const RESTART_MS = 5_000;

/** Resolves after a while though the work goes on. */
async function orLater(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, RESTART_MS).unref();
  });
  await Promise.race([work, enough]).finally(() => clearTimeout(timer));
}

function idOf({ names }: RestRequest): string {
  return names["id"] ?? "";
}

function listOf(context: DoorContext, tools: readonly ToolRecord[]): object {
  return { tools: tools.map((tool) => toolView(tool, named(context, tool))) };
}

/** One that was taken out of the configuration file is kept for its links alone. */
function isShown({ origin, status }: ServerRecord): boolean {
  return origin === "registered" || status !== "disabled";
}
