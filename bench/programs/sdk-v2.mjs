/** The official SDK, version 2, as a server without a gateway: sessions for 2025, its own handler for 2026-07-28. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import process from "node:process";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { announce } from "./body.mjs";

const { tools = 1, era = "2025" } = JSON.parse(process.argv[2] ?? "{}");
// Shared by all tools and servers: built anew each time it would cost several times the rest.
const inputSchema = z.object({ text: z.string().describe("What comes back") });
const transports = new Map();

function make() {
  const server = new McpServer({ name: "echo", version: "1" });
  for (let index = 0; index < tools; index++) {
    const name = index === 0 ? "echo" : `tool-${index}`;
    const description = `Echoes its text (${name})`;
    server.registerTool(name, { description, inputSchema }, ({ text }) => ({ content: [{ type: "text", text }] }));
  }
  return server;
}

async function open() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  await make().connect(transport);
  return transport;
}

const modern = toNodeHandler(createMcpHandler(make));

async function handshake(request, response) {
  const transport = transports.get(request.headers["mcp-session-id"]) ?? (await open());
  await transport.handleRequest(request, response);
}

announce(createServer(era === "2026" ? modern : handshake));
