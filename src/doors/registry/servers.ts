/** `/mcp/servers…`: trying servers out, registering them, and asking them for their tools (seed 001, section 5). */
import type { Kind } from "../../contract/kind.ts";
import { operations } from "../../contract/operations.ts";
import type { Server, ServerPreview } from "../../contract/server.ts";
import { isLimited } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import type { Previewed } from "../../registry/preview.ts";
import type { ServerRecord, ToolRecord } from "../../store/registry.ts";
import type { DoorContext, SourceSummary } from "../door.ts";
import { textOf } from "../mcp/failure.ts";
import { matcher, page } from "../rest/page.ts";
import { noSuch } from "../rest/problem.ts";
import { idOf, type RestRequest, type RestRoute, route } from "../rest/route.ts";
import { named } from "./tools.ts";
import { discoveryView, serverView, stepsIn, toolView } from "./views.ts";

const LINES_IN_A_LIST = 20;

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
    throw noSuch("server", idOf(request));
  };
  return [
    route(operations.registry.listKinds, ({ language, principal }) => {
      const isUsed = ({ name }: SourceSummary): boolean =>
        !isLimited(principal) || context.servers.isReachable(name, principal);
      return { status: 200, body: kindsAmong(context.status().sources.filter(isUsed), language) };
    }),
    route(operations.registry.createServer, async (request) => {
      const record = await servers.create(request.body, request.principal);
      return { status: 201, body: view(record, request), headers: { location: `/mcp/servers/${record.id}` } };
    }),
    route(operations.registry.listServers, async (request) => {
      const { search } = request.query;
      const isFound = isLimited(request.principal) ? byWhatIsShown(search) : () => true;
      const records = await tables.servers.list({ search });
      const own = records.filter((record) => isFor(request.principal, record) && isFound(record));
      return page(request, views(own, request));
    }),
    route(operations.registry.getServer, async (request) => ({
      status: 200,
      body: view(await find(request), request),
    })),
    route(operations.registry.changeServer, async (request) => {
      const record = await servers.change(idOf(request), request.body, request.principal);
      return { status: 200, body: view(record, request) };
    }),
    route(operations.registry.deleteServer, async (request) => {
      await servers.remove(idOf(request));
      return { status: 204 };
    }),
    route(operations.registry.discoverTools, async (request) => {
      return { status: 200, body: listOf(context, await servers.discover(idOf(request))) };
    }),
    route(operations.registry.refreshTools, async (request) => {
      const tools = listOf(context, await servers.discover(idOf(request)));
      return { status: 200, body: { message: say(request.language, "registry.refreshed"), tools } };
    }),
    route(operations.registry.discoveryLog, async (request) => {
      const log = await servers.log(idOf(request));
      return { status: 200, body: log.map((one) => discoveryView(one, request.language)) };
    }),
    route(operations.registry.restartServer, async (request) => {
      await orLater(servers.restart(idOf(request)));
      return { status: 200, body: view(await servers.find(idOf(request)), request) };
    }),
    route(operations.registry.previewServer, async ({ body, principal, language, leaving }) => {
      const previewed = await context.registry.previews.preview(body, principal, leaving());
      return { status: 200, body: previewView(previewed, language) };
    }),
  ];
}

/** Programs that are fetched before they start may take their time: then the state says how far they are. */
const RESTART_MS = 5_000;

/** Waits for the work no longer than `RESTART_MS`; it goes on all the same. */
async function orLater(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, RESTART_MS).unref();
  });
  await Promise.race([work, enough]).finally(() => clearTimeout(timer));
}

function listOf(context: DoorContext, tools: readonly ToolRecord[]): object {
  return { tools: tools.map((tool) => toolView(tool, named(context, tool))) };
}

function kindsAmong(sources: readonly SourceSummary[], language: Language): Kind[] {
  const looks = new Map(sources.flatMap(({ kind, look }) => (look ? [[kind, look] as const] : [])));
  return [...looks].map(([kind, { title, icon }]) => ({ kind, title: title[language], icon }));
}

/** The store searches addresses too: who does not see them finds nothing by them, or could guess them letter by letter. */
function byWhatIsShown(search: string | undefined): (record: ServerRecord) => boolean {
  const fits = matcher(search);
  return ({ name, title, description }) => fits([name, title, description]);
}

/** A server that was taken out of the configuration file is kept for its links, and not shown. */
function isShown({ origin, status }: ServerRecord): boolean {
  return origin === "registered" || status !== "disabled";
}

/** What a server would bring, before it is registered. */
function previewView({ found, error, nameTaken, steps, ms }: Previewed, language: Language): ServerPreview {
  const { transport = null, revision = null, serverInfo = null, tools = [] } = found ?? {};
  const shown = tools.map(({ name, description }) => ({ name, description: textIn(description) }));
  const reason = error ? textOf(error, language) : null;
  const told = stepsIn(steps, language);
  return { ok: !error, nameTaken, transport, revision, serverInfo, tools: shown, steps: told, ms, error: reason };
}

/** A server may write anything there, not only text. */
function textIn(description: unknown): string {
  return typeof description === "string" ? description : "";
}
