/** The official SDK, version 1, as a server without a gateway: sessions, plain JSON answers, no framework. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import process from "node:process";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { announce } from "./body.mjs";

const { tools = 1 } = JSON.parse(process.argv[2] ?? "{}");
const inputSchema = { text: z.string().describe("What comes back") };
const transports = new Map();

async function open() {
  const server = new McpServer({ name: "echo", version: "1" });
  for (let index = 0; index < tools; index++) {
    const name = index === 0 ? "echo" : `tool-${index}`;
    const description = `Echoes its text (${name})`;
    server.registerTool(name, { description, inputSchema }, ({ text }) => ({ content: [{ type: "text", text }] }));
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  await server.connect(transport);
  return transport;
}

const server = createServer(async (request, response) => {
  const transport = transports.get(request.headers["mcp-session-id"]) ?? (await open());
  await transport.handleRequest(request, response);
});
announce(server);
