/**
 * The conformance fixture's definitions behind the TypeScript SDK 1.x, whose revisions end with 2025-11-25: sessions, and
 * questions in the middle of a call. Usage: node server-1.mjs PORT
 */
import process from "node:process";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import * as requests from "@modelcontextprotocol/sdk/types.js";
import { NEEDED, text } from "../../conformance/fixture-content.mjs";
import {
  complete,
  getPrompt,
  prompts,
  readResource,
  resources,
  resourceTemplates,
  serverInfo,
  shown,
  tools,
} from "../../conformance/fixture-definitions.mjs";
import { Sessions } from "./sessions.mjs";

const LISTS = { listChanged: true };
const capabilities = {
  tools: LISTS,
  prompts: LISTS,
  resources: { ...LISTS, subscribe: true },
  logging: {},
  completions: {},
};

const sessions = new Sessions(StreamableHTTPServerTransport, (transport) => build().connect(transport));
createMcpExpressApp()
  .all("/mcp", (request, response) => sessions.handle(request, response, request.body))
  .listen(Number(process.argv[2]), "127.0.0.1");

function build() {
  const server = new Server(serverInfo, { capabilities });
  const on = (schema, handle) => server.setRequestHandler(schema, handle);
  on(requests.ListToolsRequestSchema, () => ({ tools: tools.map(shown) }));
  on(requests.CallToolRequestSchema, ({ params }, extra) => callTool(params, callOf(server, extra)));
  on(requests.ListResourcesRequestSchema, () => ({ resources: resources.map(shown) }));
  on(requests.ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }));
  on(requests.ReadResourceRequestSchema, ({ params: { uri } }) => ({ contents: readResource(uri) ?? unknown(uri) }));
  on(requests.SubscribeRequestSchema, () => ({}));
  on(requests.UnsubscribeRequestSchema, () => ({}));
  on(requests.ListPromptsRequestSchema, () => ({ prompts: prompts.map(shown) }));
  on(requests.GetPromptRequestSchema, ({ params }, extra) => getPrompt(params, callOf(server, extra)));
  on(requests.CompleteRequestSchema, ({ params: { argument } }) => ({ completion: complete(argument) }));
  return server;
}

async function callTool({ name, arguments: args = {} }, call) {
  const tool = tools.find((known) => known.name === name);
  if (!tool) throw new requests.McpError(requests.ErrorCode.InvalidParams, `Unknown tool: ${name}`);
  try {
    return { content: await tool.run(args, call) };
  } catch ({ message }) {
    return { content: [text(message)], isError: true };
  } finally {
    await call.sent();
  }
}

function unknown(uri) {
  throw new requests.McpError(-32002, `Resource not found: ${uri}`);
}

/** What the definitions want of a call, by the SDK's own means. What is asked travels on the call's own stream. */
function callOf(server, { requestId, signal, _meta, sendNotification, closeSSEStream }) {
  const options = { relatedRequestId: requestId };
  const sending = [];
  const notify = (method, params) => void sending.push(sendNotification({ method, params }));
  const put = {
    "sampling/createMessage": (params) => server.createMessage(params, options),
    "elicitation/create": (params) => server.elicitInput(params, options),
    "roots/list": (params) => server.listRoots(params, options),
  };
  return {
    signal,
    sent: () => Promise.all(sending),
    log: (level, data) => notify("notifications/message", { level, data }),
    progress: (progress, total) => {
      const { progressToken } = _meta ?? {};
      if (progressToken !== undefined) notify("notifications/progress", { progressToken, progress, total });
    },
    ask: async (questions) => {
      const entries = Object.entries(questions).map(async ([key, { method, params }]) => [
        key,
        await put[method](params),
      ]);
      return Object.fromEntries(await Promise.all(entries));
    },
    askWhatItCan(questions) {
      const can = server.getClientCapabilities() ?? {};
      const possible = Object.entries(questions).filter(([, { method }]) => can[NEEDED[method]]);
      return this.ask(Object.fromEntries(possible));
    },
    change: (list) => (list === "tools" ? server.sendToolListChanged() : server.sendPromptListChanged()),
    closeStream: closeSSEStream,
  };
}
