/** `/agents…`: agents, the tools they are linked to, and their keys. */
import { operations } from "../../contract/operations.ts";
import { isLimited } from "../../core/access.ts";
import type { DoorContext } from "../door.ts";
import { pageHeaders } from "../rest/page.ts";
import { noSuch } from "../rest/problem.ts";
import { idOf, type RestRequest, type RestRoute, route } from "../rest/route.ts";
import { findTool } from "./tools.ts";
import { agentView, bindingView, boundToolView, ownToolView, readOnlyBoundToolView } from "./views.ts";

export function agentRoutes(context: DoorContext): readonly RestRoute[] {
  return [...lifeRoutes(context), ...bindingRoutes(context), ...keyRoutes(context)];
}

function lifeRoutes({ registry: { agents, tables } }: DoorContext): readonly RestRoute[] {
  return [
    route(operations.registry.createAgent, async ({ body }) => {
      const agent = await agents.create(body);
      return { status: 201, body: agentView(agent), headers: { location: `/agents/${agent.id}` } };
    }),
    route(operations.registry.listAgents, async (request) => {
      const found = await tables.agents.list(request.query);
      const total = await tables.agents.count({ search: request.query.search });
      return { status: 200, body: found.map(agentView), headers: pageHeaders(request, total) };
    }),
    route(operations.registry.getAgent, async (request) => {
      const agent = await agents.find(idOf(request));
      refuseStrangers(request, agent.id);
      return { status: 200, body: agentView(agent) };
    }),
    route(operations.registry.changeAgent, async (request) => {
      const agent = await agents.change(idOf(request), request.body);
      return { status: 200, body: agentView(agent) };
    }),
    route(operations.registry.deleteAgent, async (request) => {
      await agents.remove(idOf(request));
      return { status: 204 };
    }),
  ];
}

function bindingRoutes(context: DoorContext): readonly RestRoute[] {
  const { gateway, registry } = context;
  const { agents } = registry;
  return [
    route(operations.registry.bindTool, async (request) => {
      const { toolId, config, enabled } = request.body;
      const input = { toolId: (await findTool(context, toolId))?.id ?? toolId, config: config ?? undefined, enabled };
      const binding = await agents.bind(idOf(request), input);
      const location = `/agents/${binding.agentId}/bindings/${binding.id}`;
      return { status: 201, body: bindingView(binding), headers: { location } };
    }),
    route(operations.registry.listBindings, async (request) => {
      refuseStrangers(request, (await agents.find(idOf(request))).id);
      const bound = await agents.bindings(idOf(request));
      const view = request.principal.admin ? boundToolView : readOnlyBoundToolView;
      if (!isLimited(request.principal)) return { status: 200, body: bound.map(view) };
      const own = bound.flatMap((each) => {
        const shown = gateway.findTool(request.principal, `${each.tool.serverName}__${each.tool.name}`);
        return shown ? [ownToolView(each, shown)] : [];
      });
      return { status: 200, body: own };
    }),
    route(operations.registry.changeBinding, async (request) => {
      const { config, enabled } = request.body;
      const change = {
        ...(config !== undefined && { config: config ?? undefined }),
        ...(enabled !== undefined && { enabled }),
      };
      const bindingId = request.names["bindingId"] ?? "";
      return { status: 200, body: bindingView(await agents.rebind(idOf(request), bindingId, change)) };
    }),
    route(operations.registry.unbindTool, async (request) => {
      await agents.unbind(idOf(request), request.names["bindingId"] ?? "");
      return { status: 204 };
    }),
  ];
}

function keyRoutes({ registry: { agents } }: DoorContext): readonly RestRoute[] {
  return [
    route(operations.registry.createAgentKey, async (request) => {
      const made = await agents.mintKey(idOf(request));
      return { status: 201, body: { ...made, agentId: (await agents.find(idOf(request))).id } };
    }),
    route(operations.registry.revokeAgentKey, async (request) => {
      await agents.revokeKey(idOf(request));
      return { status: 204 };
    }),
  ];
}

/** An agent sees itself; a limited key sees none. */
function refuseStrangers(request: RestRequest, agentId: string): void {
  const { principal } = request;
  if (isLimited(principal) && principal.id !== `agent:${agentId}`) throw noSuch("agent", idOf(request));
}
