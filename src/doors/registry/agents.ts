/** `/agents…`: agents, the tools they are linked to, and their keys. */
import { z } from "zod";
import { Agent, AgentChange, AgentKey, Binding, BindingChange, NewAgent, NewBinding } from "../../contract/agent.ts";
import { isLimited } from "../../core/access.ts";
import { ZaguanError } from "../../errors.ts";
import type { DoorContext } from "../door.ts";
import { PAGE, PAGE_HEADERS, pageHeaders } from "../rest/page.ts";
import { type RestRequest, type RestRoute, route } from "../rest/route.ts";
import { findTool } from "./tools.ts";
import { agentView, bindingView, boundToolView, ownToolView } from "./views.ts";

const TAG = "Agents";
const ID = { id: "The agent's id, or its name." };

export function agentRoutes(context: DoorContext): readonly RestRoute[] {
  return [...lifeRoutes(context), ...bindingRoutes(context), ...keyRoutes(context)];
}

function lifeRoutes({ registry: { agents, tables } }: DoorContext): readonly RestRoute[] {
  return [
    route({
      ...{ method: "POST", path: "/agents", operationId: "createAgent", tag: TAG, body: NewAgent },
      summary: "Make an agent",
      answers: { 201: { description: "It is linked to nothing yet.", schema: Agent } },
      handle: async ({ body }) => {
        const agent = await agents.create(body);
        return { status: 201, body: agentView(agent), headers: { location: `/agents/${agent.id}` } };
      },
    }),
    route({
      ...{ method: "GET", path: "/agents", operationId: "listAgents", tag: TAG, query: z.object(PAGE) },
      summary: "All agents",
      answers: {
        200: { description: "In the order in which they were made.", schema: z.array(Agent), headers: PAGE_HEADERS },
      },
      handle: async (request) => {
        const found = await tables.agents.list(request.query);
        const total = await tables.agents.count({ search: request.query.search });
        return { status: 200, body: found.map(agentView), headers: pageHeaders(request, total) };
      },
    }),
    route({
      ...{ method: "GET", path: "/agents/{id}", operationId: "getAgent", tag: TAG, names: ID },
      summary: "One agent",
      answers: { 200: { description: "The agent.", schema: Agent } },
      handle: async (request) => {
        const agent = await agents.find(idOf(request));
        refuseStrangers(request, agent.id);
        return { status: 200, body: agentView(agent) };
      },
    }),
    route({
      ...{ method: "PATCH", path: "/agents/{id}", operationId: "changeAgent", tag: TAG, names: ID, body: AgentChange },
      summary: "Change an agent",
      answers: { 200: { description: "What is absent stays as it was.", schema: Agent } },
      handle: async (request) => {
        const agent = await agents.change(idOf(request), request.body);
        return { status: 200, body: agentView(agent) };
      },
    }),
    route({
      ...{ method: "DELETE", path: "/agents/{id}", operationId: "deleteAgent", tag: TAG, names: ID },
      summary: "Remove an agent, its links and its key",
      answers: { 204: { description: "It is gone." } },
      handle: async (request) => {
        await agents.remove(idOf(request));
        return { status: 204 };
      },
    }),
  ];
}

function bindingRoutes(context: DoorContext): readonly RestRoute[] {
  const { gateway, registry } = context;
  const { agents } = registry;
  return [
    route({
      ...{
        method: "POST",
        path: "/agents/{id}/bindings",
        operationId: "bindTool",
        tag: TAG,
        names: ID,
        body: NewBinding,
      },
      summary: "Link a tool to an agent",
      answers: { 201: { description: "The agent may use it from now on.", schema: Binding } },
      handle: async (request) => {
        const { toolId, config, enabled } = request.body;
        const input = { toolId: (await findTool(context, toolId))?.id ?? toolId, config: config ?? undefined, enabled };
        const binding = await agents.bind(idOf(request), input);
        const location = `/agents/${binding.agentId}/bindings/${binding.id}`;
        return { status: 201, body: bindingView(binding), headers: { location } };
      },
    }),
    route({
      ...{ method: "GET", path: "/agents/{id}/bindings", operationId: "listBindings", tag: TAG, names: ID },
      summary: "What an agent is linked to",
      answers: { 200: { description: "With the tools, those that are missing included.", schema: z.array(Binding) } },
      handle: async (request) => {
        refuseStrangers(request, (await agents.find(idOf(request))).id);
        const bound = await agents.bindings(idOf(request));
        if (!isLimited(request.principal)) return { status: 200, body: bound.map(boundToolView) };
        const own = bound.flatMap((each) => {
          const shown = gateway.findTool(request.principal, `${each.tool.serverName}__${each.tool.name}`);
          return shown ? [ownToolView(each, shown)] : [];
        });
        return { status: 200, body: own };
      },
    }),
    route({
      ...{ method: "PATCH", path: "/agents/{id}/bindings/{bindingId}", operationId: "changeBinding", tag: TAG },
      ...{ names: ID, body: BindingChange },
      summary: "Change a link",
      answers: { 200: { description: "What is absent stays as it was.", schema: Binding } },
      handle: async (request) => {
        const { config, enabled } = request.body;
        const change = {
          ...(config !== undefined && { config: config ?? undefined }),
          ...(enabled !== undefined && { enabled }),
        };
        const bindingId = request.names["bindingId"] ?? "";
        return {
          status: 200,
          body: bindingView(await agents.rebind(idOf(request), bindingId, change)),
        };
      },
    }),
    route({
      ...{
        method: "DELETE",
        path: "/agents/{id}/bindings/{bindingId}",
        operationId: "unbindTool",
        tag: TAG,
        names: ID,
      },
      summary: "Take a link away",
      answers: { 204: { description: "It is gone." } },
      handle: async (request) => {
        await agents.unbind(idOf(request), request.names["bindingId"] ?? "");
        return { status: 204 };
      },
    }),
  ];
}

function keyRoutes({ registry: { agents } }: DoorContext): readonly RestRoute[] {
  return [
    route({
      ...{ method: "POST", path: "/agents/{id}/key", operationId: "createAgentKey", tag: TAG, names: ID },
      summary: "Make a key for an agent, in the place of the one it had",
      answers: { 201: { description: "The key is shown only now.", schema: AgentKey } },
      handle: async (request) => {
        const made = await agents.mintKey(idOf(request));
        return { status: 201, body: { ...made, agentId: (await agents.find(idOf(request))).id } };
      },
    }),
    route({
      ...{ method: "DELETE", path: "/agents/{id}/key", operationId: "revokeAgentKey", tag: TAG, names: ID },
      summary: "Revoke an agent's key",
      answers: { 204: { description: "It has none any more." } },
      handle: async (request) => {
        await agents.revokeKey(idOf(request));
        return { status: 204 };
      },
    }),
  ];
}

function idOf({ names }: RestRequest): string {
  return names["id"] ?? "";
}

/** An agent sees itself; a limited key sees none. */
function refuseStrangers({ principal, names }: RestRequest, agentId: string): void {
  if (!isLimited(principal) || principal.id === `agent:${agentId}`) return;
  throw new ZaguanError("NO_SUCH", { params: { kind: "agent", name: (names["id"] ?? "").slice(0, 64) } });
}
