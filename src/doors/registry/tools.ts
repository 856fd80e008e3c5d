/** `/mcp/tools…`: what all servers offer, as the registry keeps it (seed 001, section 5). */
import { operations } from "../../contract/operations.ts";
import { isLimited } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { ToolRecord } from "../../store/registry.ts";
import type { DoorContext } from "../door.ts";
import { etags } from "../rest/etag.ts";
import { type PageQuery, pageHeaders } from "../rest/page.ts";
import { noSuch } from "../rest/problem.ts";
import { idOf, type RestRequest, type RestRoute, route } from "../rest/route.ts";
import { type ToolShown, toolText, toolView } from "./views.ts";

export function toolRoutes(context: DoorContext): readonly RestRoute[] {
  const { servers, tables } = context.registry;
  const withEtag = etags();
  const list = async (request: RestRequest<ToolsQuery>, serverId?: string) => {
    const { search, withMissing, offset, limit } = request.query;
    const asked = { serverId, search, withMissing };
    const version = `${await tables.tools.version()} ${context.servers.namesVersion()}`;
    return withEtag(request, version, async () => {
      if (isLimited(request.principal)) return limitedList(context, request, await tables.tools.list(asked));
      const found = await tables.tools.list({ ...asked, offset, limit });
      const isWhole = offset === 0 && limit === undefined;
      const headers = pageHeaders(request, isWhole ? found.length : await tables.tools.count(asked));
      return { status: 200, text: listText(found.map((record) => toolText(record, named(context, record)))), headers };
    });
  };
  return [
    route(operations.registry.listToolsOfServer, async (request) => {
      const { serverId } = request.query;
      if (!serverId) throw required("serverId");
      const server = await servers.find(serverId);
      const isFor = !isLimited(request.principal) || context.servers.isReachable(server.name, request.principal);
      if (!isFor) throw noSuch("server", serverId);
      return list(request, server.id);
    }),
    route(operations.registry.listAllTools, (request) => list(request)),
    route(operations.registry.getTool, async (request) => {
      const { principal } = request;
      const record = await findTool(context, idOf(request));
      const shown = record && shownTo(context, principal, record);
      if (!record || (isLimited(principal) && !shown)) throw noSuch("tool", idOf(request));
      return { status: 200, body: toolView(record, { shown, ...named(context, record) }) };
    }),
  ];
}

interface ToolsQuery extends PageQuery {
  readonly withMissing?: boolean | undefined;
}

/** Who may use some tools sees these alone. */
function limitedList(context: DoorContext, request: RestRequest<ToolsQuery>, all: readonly ToolRecord[]) {
  const { offset, limit = all.length } = request.query;
  const own = all.flatMap((record) => {
    const shown = shownTo(context, request.principal, record);
    return shown ? [{ record, shown }] : [];
  });
  const page = own
    .slice(offset, offset + limit)
    .map(({ record, shown }) => toolText(record, { shown, ...named(context, record) }));
  return { status: 200, text: listText(page), headers: pageHeaders(request, own.length) };
}

/** An id leads to a tool, and so do the name under which it is listed and `server__tool`. */
export async function findTool(context: DoorContext, said: string): Promise<ToolRecord | undefined> {
  const { tables, servers } = context.registry;
  const [, source = "", tool = ""] = /^(.+?)__(.+)$/s.exec(said) ?? [];
  const known = await tables.tools.get(said);
  const meant = context.servers.named(said) ?? { source, tool };
  if (known || meant.source === "") return known;
  const server = await servers.find(meant.source).catch(() => undefined);
  return server && tables.tools.findByName(server.id, meant.tool);
}

/** A tool that its server does not list any more has no name in the hub. */
export function named(
  { servers }: DoorContext,
  { serverName, name, missing }: ToolRecord,
): Pick<ToolShown, "publicName"> {
  const publicName = missing ? undefined : servers.renamed(serverName, name);
  return publicName === undefined ? NOT_RENAMED : { publicName };
}

const NOT_RENAMED: ToolShown = {};

function listText(texts: readonly string[]): string {
  return `[${texts.join(",")}]`;
}

/** The tool as this principal may use it; undefined of those who may use everything. */
function shownTo({ gateway }: DoorContext, principal: Principal, { serverName, name }: ToolRecord) {
  return isLimited(principal) ? gateway.findTool(principal, `${serverName}__${name}`) : undefined;
}

function required(field: string): ZaguanError {
  const reason = `${field} is required`;
  return new ZaguanError("INVALID_PARAMS", { params: { reason }, data: { errors: [{ field, message: reason }] } });
}
