/**
 * The conformance fixture's definitions behind the TypeScript SDK 2.x, in both revisions at one address: 2026-07-28 by the
 * SDK's handler, 2025-11-25 in sessions. Usage: node server-2.mjs PORT
 */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import process from "node:process";
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import {
  CLIENT_CAPABILITIES_META_KEY,
  classifyInboundRequest,
  completable,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { NEEDED } from "../../conformance/fixture-content.mjs";
import {
  complete,
  prompts,
  readResource,
  resources,
  resourceTemplates,
  serverInfo,
  tools,
} from "../../conformance/fixture-definitions.mjs";
import { InputRequired, isAnswer } from "../../conformance/fixture-rounds.mjs";
import { bodyOf, Sessions } from "./sessions.mjs";

/** Those that ask as 2025-11-25 does, by a request in the middle of the call. All others answer that input is required. */
const ASK_ON_THE_WAY = /^test_(?:sampling|elicitation)/;
const LISTS = { listChanged: true };
const capabilities = {
  tools: LISTS,
  prompts: LISTS,
  resources: { ...LISTS, subscribe: true },
  logging: {},
  completions: {},
};
const state = createRequestStateCodec({ key: randomBytes(32) });
const BUILD = {
  "elicitation/create": (params) => inputRequired.elicit(params),
  "sampling/createMessage": (params) => inputRequired.createMessage(params),
  "roots/list": () => inputRequired.listRoots(),
};

const modern = createMcpHandler(() => build(), { legacy: "reject" });
const modernNode = toNodeHandler(modern);
const sessions = new Sessions(NodeStreamableHTTPServerTransport, (transport) => build().connect(transport));
const isLocal = localhostHostValidation();
const isOurs = localhostOriginValidation();

createServer(async (request, response) => {
  if (!isLocal(request, response) || !isOurs(request, response)) return;
  const body = await bodyOf(request);
  if (isLegacy(request, body)) await sessions.handle(request, response, body);
  else await modernNode(request, response, body);
}).listen(Number(process.argv[2]), "127.0.0.1");

function isLegacy({ method, headers }, body) {
  const named = { protocolVersionHeader: headers["mcp-protocol-version"], mcpMethodHeader: headers["mcp-method"] };
  return method !== "POST" || classifyInboundRequest({ httpMethod: method, ...named, body }).kind === "legacy";
}

function build() {
  const server = new McpServer(serverInfo, { capabilities, requestState: { verify: state.verify } });
  for (const tool of tools) addTool(server, tool);
  for (const { uri, name, contents: _, ...shown } of resources) {
    server.registerResource(name, uri, shown, async () => ({ contents: readResource(uri) }));
  }
  for (const { uriTemplate, name, ...shown } of resourceTemplates) {
    const template = new ResourceTemplate(uriTemplate, { list: undefined });
    server.registerResource(name, template, shown, async (uri) => ({ contents: readResource(uri.href) }));
  }
  for (const prompt of prompts) addPrompt(server, prompt);
  for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
    server.server.setRequestHandler(method, async () => ({}));
  }
  return server;
}

function addTool(server, { name, description, inputSchema, run }) {
  server.registerTool(name, { description, inputSchema: fromJsonSchema(inputSchema) }, (args, ctx) =>
    inRounds(async (call) => ({ content: await run(args, call) }), callOf(name, ctx)),
  );
}

function addPrompt(server, { name, description, arguments: args = [], messages }) {
  const fields = args.map((field) => [
    field.name,
    completable(z.string().describe(field.description), (value) => complete({ value }).values),
  ]);
  const shown = { description, ...(args.length > 0 && { argsSchema: z.object(Object.fromEntries(fields)) }) };
  const get = (values, ctx) =>
    inRounds(async (call) => ({ description, messages: await messages(values, call) }), callOf(name, ctx));
  server.registerPrompt(name, shown, args.length > 0 ? get : (ctx) => get({}, ctx));
}

/** A result, or that more input is required. */
async function inRounds(work, call) {
  try {
    return await work(call);
  } catch (failure) {
    if (failure instanceof InputRequired) return inputRequired(failure.result);
    throw failure;
  } finally {
    await call.sent();
  }
}

/** What the definitions want of a call, by the SDK's own means. */
function callOf(name, { mcpReq, http }) {
  const sending = [];
  return {
    signal: mcpReq.signal,
    sent: () => Promise.all(sending),
    log: (level, data) => void sending.push(mcpReq.log(level, data)),
    progress: (progress, total) => {
      const { progressToken } = mcpReq._meta ?? {};
      if (progressToken === undefined) return;
      sending.push(mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total } }));
    },
    ask: ASK_ON_THE_WAY.test(name)
      ? (questions) => askOnTheWay(mcpReq, questions)
      : (questions, options) => askInRounds(mcpReq, questions, options),
    askWhatItCan: (questions) => {
      const can = mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
      const possible = Object.entries(questions).filter(([, { method }]) => can[NEEDED[method]]);
      return askInRounds(mcpReq, Object.fromEntries(possible));
    },
    change: (list) => (list === "tools" ? modern.notify.toolsChanged() : modern.notify.promptsChanged()),
    closeStream: () => http?.closeSSE?.(),
  };
}

async function askOnTheWay(mcpReq, questions) {
  const entries = Object.entries(questions).map(async ([key, { method, params }]) => [
    key,
    await (method === "elicitation/create" ? mcpReq.elicitInput(params) : mcpReq.requestSampling(params)),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

/** The answers by key; throws while any is missing. With `remember` they count only beside the state that went out. */
async function askInRounds(mcpReq, questions, { remember = false } = {}) {
  const known = mcpReq.requestState();
  const usable = !remember || known !== undefined;
  const answers = usable ? { ...known, ...mcpReq.inputResponses } : {};
  const open = Object.entries(questions).filter(([key, { method }]) => !isAnswer(method, answers[key]));
  if (open.length === 0) return answers;
  const inputRequests = open.map(([key, { method, params }]) => [key, BUILD[method](params)]);
  throw new InputRequired({
    inputRequests: Object.fromEntries(inputRequests),
    ...(remember && { requestState: await state.mint(answers) }),
  });
}
