/**
 * The REST endpoints that the console and the command line use, by door. Doors answer them, `/openapi.json` describes them,
 * `npm run generate` writes their places down for those who must not load their schemas.
 */
import { z } from "zod";
import { Agent, AgentChange, AgentKey, Binding, BindingChange, BoundTool, NewAgent, NewBinding } from "./agent.ts";
import { ImportChange, ImportedApi, ImportPreview, NewImport, Refreshed, RefreshInput, ShownOperation } from "./api.ts";
import { CALL_STATES, Call, CallDetail, Figures } from "./call.ts";
import { House, Houses, Presence } from "./house.ts";
import { Key, MadeKey, NewKey } from "./key.ts";
import { Kind } from "./kind.ts";
import { Nodes } from "./node.ts";
import { at, operationsOf } from "./operation.ts";
import { PAGE, PAGE_HEADERS } from "./page.ts";
import { Discovered, Discovery, NewServer, Server, ServerChange, ServerPreview } from "./server.ts";
import { Tool } from "./tool.ts";

const page = z.object(PAGE);
const GONE = { 204: { description: "It is gone." } };

const SERVER_ID = { id: "The server's id, its name or its slug." };
const servers = operationsOf("Servers", {
  createServer: {
    ...at("POST", "/mcp/servers", "admin"),
    body: NewServer,
    summary: "Register a server",
    answers: { 201: { description: "It is registered; nothing was asked of it yet.", schema: Server } },
  },
  listServers: {
    ...at("GET", "/mcp/servers", "see"),
    query: page,
    summary: "All servers: registered, configured and built in",
    answers: {
      200: { description: "In the order in which they came.", schema: z.array(Server), headers: PAGE_HEADERS },
    },
  },
  listKinds: {
    ...at("GET", "/mcp/kinds", "see"),
    summary: "The kinds of the servers that there are, and how they are shown",
    answers: { 200: { description: "In the order in which they came.", schema: z.array(Kind) } },
  },
  previewServer: {
    ...at("POST", "/mcp/servers/preview", "admin"),
    body: NewServer,
    summary: "Reach a server and see its tools, without registering it",
    description: "Nothing is kept, and nothing is left running. It is refused where registering would be refused.",
    answers: { 200: { description: "What it offers, or what was tried to reach it.", schema: ServerPreview } },
  },
  getServer: {
    ...at("GET", "/mcp/servers/{id}", "see"),
    names: SERVER_ID,
    summary: "One server",
    answers: { 200: { description: "The server.", schema: Server } },
  },
  changeServer: {
    ...at("PATCH", "/mcp/servers/{id}", "admin"),
    names: SERVER_ID,
    body: ServerChange,
    summary: "Change a registered server",
    answers: { 200: { description: "What is absent stays as it was.", schema: Server } },
  },
  deleteServer: {
    ...at("DELETE", "/mcp/servers/{id}", "admin"),
    names: SERVER_ID,
    summary: "Forget a registered server, its tools and their links",
    answers: GONE,
  },
  discoverTools: {
    ...at("POST", "/mcp/servers/{id}/discover", "admin"),
    names: SERVER_ID,
    summary: "Ask the server for its tools, now",
    answers: { 200: { description: "What it offers.", schema: Discovered } },
  },
  refreshTools: {
    ...at("POST", "/mcp/servers/{id}/refresh", "admin"),
    names: SERVER_ID,
    summary: "Ask the server for its tools again",
    description: "Known tools keep their ids and their links; those that are not listed any more are marked missing.",
    answers: { 200: { description: "What it offers.", schema: z.object({ message: z.string(), tools: Discovered }) } },
  },
  discoveryLog: {
    ...at("GET", "/mcp/servers/{id}/discovery", "unlimited"),
    names: SERVER_ID,
    summary: "What was tried to find the server's tools",
    answers: { 200: { description: "The newest first.", schema: z.array(Discovery) } },
  },
  restartServer: {
    ...at("POST", "/mcp/servers/{id}/restart", "admin"),
    names: SERVER_ID,
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
  },
});

const withMissing = z.stringbool().optional().describe("Also those that their server does not list any more.");
const TOOL_LIST = {
  description: "In the order of servers and of their lists.",
  schema: z.array(Tool),
  headers: { ...PAGE_HEADERS, ETag: "The same as long as the list is." },
};
const tools = operationsOf("Tools", {
  listToolsOfServer: {
    ...at("GET", "/mcp/tools", "see"),
    query: z.object({ ...PAGE, serverId: z.string().optional(), withMissing }),
    summary: "The tools of one server",
    answers: { 200: TOOL_LIST },
  },
  listAllTools: {
    ...at("GET", "/mcp/tools/all", "see"),
    query: z.object({ ...PAGE, withMissing }),
    summary: "All tools of all servers",
    answers: { 200: TOOL_LIST, 304: { description: "The list is the one that the caller has." } },
  },
  getTool: {
    ...at("GET", "/mcp/tools/{id}", "see"),
    names: { id: "The tool's id, its name in the list of all tools, or `server__tool`." },
    summary: "One tool",
    answers: { 200: { description: "The tool.", schema: Tool } },
  },
});

const AGENT_ID = { id: "The agent's id, or its name." };
const agents = operationsOf("Agents", {
  createAgent: {
    ...at("POST", "/agents", "admin"),
    body: NewAgent,
    summary: "Make an agent",
    answers: { 201: { description: "It is linked to nothing yet.", schema: Agent } },
  },
  listAgents: {
    ...at("GET", "/agents", "unlimited"),
    query: page,
    summary: "All agents",
    answers: {
      200: { description: "In the order in which they were made.", schema: z.array(Agent), headers: PAGE_HEADERS },
    },
  },
  getAgent: {
    ...at("GET", "/agents/{id}", "see"),
    names: AGENT_ID,
    summary: "One agent",
    answers: { 200: { description: "The agent.", schema: Agent } },
  },
  changeAgent: {
    ...at("PATCH", "/agents/{id}", "admin"),
    names: AGENT_ID,
    body: AgentChange,
    summary: "Change an agent",
    answers: { 200: { description: "What is absent stays as it was.", schema: Agent } },
  },
  deleteAgent: {
    ...at("DELETE", "/agents/{id}", "admin"),
    names: AGENT_ID,
    summary: "Remove an agent, its links and its key",
    answers: GONE,
  },
  bindTool: {
    ...at("POST", "/agents/{id}/bindings", "admin"),
    names: AGENT_ID,
    body: NewBinding,
    summary: "Link a tool to an agent",
    answers: { 201: { description: "The agent may use it from now on.", schema: Binding } },
  },
  listBindings: {
    ...at("GET", "/agents/{id}/bindings", "see"),
    names: AGENT_ID,
    summary: "What an agent is linked to",
    answers: { 200: { description: "With the tools, those that are missing included.", schema: z.array(BoundTool) } },
  },
  changeBinding: {
    ...at("PATCH", "/agents/{id}/bindings/{bindingId}", "admin"),
    names: AGENT_ID,
    body: BindingChange,
    summary: "Change a link",
    answers: { 200: { description: "What is absent stays as it was.", schema: Binding } },
  },
  unbindTool: {
    ...at("DELETE", "/agents/{id}/bindings/{bindingId}", "admin"),
    names: AGENT_ID,
    summary: "Take a link away",
    answers: GONE,
  },
  createAgentKey: {
    ...at("POST", "/agents/{id}/key", "admin"),
    names: AGENT_ID,
    summary: "Make a key for an agent, in the place of the one it had",
    answers: { 201: { description: "The key is shown only now.", schema: AgentKey } },
  },
  revokeAgentKey: {
    ...at("DELETE", "/agents/{id}/key", "admin"),
    names: AGENT_ID,
    summary: "Revoke an agent's key",
    answers: { 204: { description: "It has none any more." } },
  },
});

const keys = operationsOf("Keys", {
  listKeys: {
    ...at("GET", "/keys", "admin"),
    summary: "All keys that are not revoked",
    answers: { 200: { description: "In the order in which they were made.", schema: z.array(Key) } },
  },
  createKey: {
    ...at("POST", "/keys", "admin"),
    body: NewKey,
    summary: "Make a key",
    answers: { 201: { description: "The key is shown only now.", schema: MadeKey } },
  },
  revokeKey: {
    ...at("DELETE", "/keys/{id}", "admin"),
    names: { id: "The key's id, or its name." },
    summary: "Revoke a key",
    description: "It ends at once, in open connections too; also the one that came with this request.",
    answers: { 204: { description: "It is revoked." } },
  },
});

const CALL_ID = {
  id: "The call's number. In a cluster the node's name stands before it: `garage-17`; a number alone is one of the node that is asked.",
};
const MISSING_NODES = {
  "X-Missing-Nodes": "Nodes of the cluster that did not answer within a second, if any: what they know is not here.",
};
const calls = operationsOf("Calls", {
  listCalls: {
    ...at("GET", "/calls", "see"),
    query: z.object({ ...PAGE, state: z.enum(CALL_STATES).optional() }),
    summary: "The last thousand calls, and those under way",
    description:
      "Administrators see everybody's, all others their own. In a cluster those of all nodes, a thousand of each; their " +
      "order is as exact as the clocks of the nodes.",
    answers: {
      200: {
        description: "Those under way first, then the newest.",
        schema: z.array(Call),
        headers: { ...PAGE_HEADERS, ...MISSING_NODES },
      },
    },
  },
  getCall: {
    ...at("GET", "/calls/{id}", "see"),
    names: CALL_ID,
    summary: "One call: its way through the hub, with the time of each step",
    answers: { 200: { description: "Its arguments are without secrets.", schema: CallDetail } },
  },
  cancelCall: {
    ...at("DELETE", "/calls/{id}", "call"),
    names: CALL_ID,
    summary: "Cancel a call that waits or runs; its caller and its source are told",
    answers: { 204: { description: "It ends." } },
  },
});

const figures = operationsOf("Hub", {
  getFigures: {
    ...at("GET", "/figures", "unlimited"),
    summary: "The last hour in steps of ten seconds, and what was counted since the start",
    description:
      "As `/metrics`, not for those who may use some tools only. In a cluster the sum of all nodes; of percentiles the " +
      "highest of any node.",
    answers: { 200: { description: "The oldest step first; the last one is still being filled.", schema: Figures } },
  },
});

const home = operationsOf("House", {
  getHouses: {
    ...at("GET", "/house", "see"),
    summary: "The simulated house, and every Home Assistant with its entities by area",
    description: "At most 500 entities of each home. Who may use some tools only sees what these would tell it.",
    answers: { 200: { description: "As they are now.", schema: Houses } },
  },
  setPresence: {
    ...at("PUT", "/house/presence", "admin"),
    body: Presence,
    summary: "Say who is in the simulated house",
    answers: { 200: { description: "The house as it is then.", schema: House } },
  },
});

const NODE_ID = { id: "The node's name." };
const nodes = operationsOf("Cluster", {
  listNodes: {
    ...at("GET", "/cluster/nodes", "unlimited"),
    summary: "The nodes of the cluster: how busy each is, and what it holds",
    answers: { 200: { description: "By their names.", schema: Nodes } },
  },
  drainNode: {
    ...at("POST", "/cluster/nodes/{id}/drain", "admin"),
    names: NODE_ID,
    summary: "Let a node hand over what others may hold, and take nothing",
    description:
      "It goes on running and serving its clients. Sources that no other node may hold stay, and so do devices that have " +
      "dialled it. It ends with the node's process, or by the operation below.",
    answers: { 204: { description: "It has begun." } },
  },
  undrainNode: {
    ...at("DELETE", "/cluster/nodes/{id}/drain", "admin"),
    names: NODE_ID,
    summary: "Let a node take its share again",
    answers: { 204: { description: "It takes its share within half a minute." } },
  },
});

const API_ID = { id: "The API's id, or its name." };
const imports = operationsOf("APIs", {
  previewApi: {
    ...at("POST", "/admin/apis/preview", "admin"),
    body: NewImport,
    summary: "Read an OpenAPI document, and import nothing",
    answers: {
      200: { description: "What an import would give, and what there is to choose.", schema: ImportPreview },
    },
  },
  importApi: {
    ...at("POST", "/admin/apis", "admin"),
    body: NewImport,
    summary: "Import an API: each operation of its OpenAPI document becomes a tool",
    answers: { 201: { description: "Its tools are there from now on.", schema: ImportedApi } },
  },
  listApis: {
    ...at("GET", "/admin/apis", "unlimited"),
    query: page,
    summary: "All imported APIs",
    answers: {
      200: { description: "In the order in which they came.", schema: z.array(ImportedApi), headers: PAGE_HEADERS },
    },
  },
  getApi: {
    ...at("GET", "/admin/apis/{id}", "unlimited"),
    names: API_ID,
    summary: "One imported API",
    answers: { 200: { description: "The API.", schema: ImportedApi } },
  },
  changeApi: {
    ...at("PATCH", "/admin/apis/{id}", "admin"),
    names: API_ID,
    body: ImportChange,
    summary: "Change an imported API",
    answers: { 200: { description: "What is absent stays as it was.", schema: ImportedApi } },
  },
  deleteApi: {
    ...at("DELETE", "/admin/apis/{id}", "admin"),
    names: API_ID,
    summary: "Forget an imported API, its tools and their links",
    answers: GONE,
  },
  listApiOperations: {
    ...at("GET", "/admin/apis/{id}/operations", "unlimited"),
    names: API_ID,
    query: page,
    summary: "The operations of an imported API, each of which is a tool",
    answers: { 200: { description: "As in its document.", schema: z.array(ShownOperation), headers: PAGE_HEADERS } },
  },
  refreshApi: {
    ...at("POST", "/admin/apis/{id}/refresh", "admin"),
    names: API_ID,
    body: RefreshInput,
    summary: "Read an API's document again",
    description: "Known tools keep their ids and their links.",
    answers: { 200: { description: "What changed, or with `dryRun` what would.", schema: Refreshed } },
  },
});

export const operations = {
  registry: { ...servers, ...tools, ...agents },
  keys,
  live: { ...calls, ...figures },
  home,
  admin: imports,
  cluster: nodes,
};
