/**
 * HandsAI's bridge (`handsai-bridge`, Go), replayed: JSON-RPC in lines on one side, and on the other the requests that its
 * source of 2026-03-06 makes, with their methods, paths, headers, order of members and ids. What it takes of an answer is
 * written here as it does it. It knows nothing of the hub's code. Use: `handsai-bridge-replay.ts URL`, HANDSAI_TOKEN.
 */
import { request } from "node:http";
import process from "node:process";
import { createInterface } from "node:readline";

// biome-ignore lint/suspicious/noExplicitAny: whatever came; the real one looks at a few members alone.
type Json = any;

const BACKEND = process.argv[2] ?? "";
const TOKEN = process.env["HANDSAI_TOKEN"] ?? "";
const GREETING = {
  capabilities: { tools: { listChanged: true } },
  protocolVersion: "2024-11-05",
  serverInfo: { name: "HandsAI Go MCP Bridge", version: "1.0.0" },
};
const SYNC_TOOL = { name: "handsai_sync_tools", inputSchema: { type: "object", properties: {} } };

for await (const line of createInterface({ input: process.stdin })) await take(JSON.parse(line));

async function take({ id, method, params }: Json): Promise<void> {
  if (method === "initialize") tell({ id, result: GREETING });
  else if (method === "tools/list") await list(id);
  else if (method === "tools/call") await call(id, params);
  else if (method !== "notifications/initialized") {
    tell({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  }
}

async function list(id: Json): Promise<void> {
  const { status, text } = await send("GET", "/mcp/tools/list");
  if (status !== 200) return tell({ id, error: { code: -32603, message: `HTTP ${status}` } });
  const body = JSON.parse(text);
  tell({ id, result: { tools: [...(body.result?.tools ?? body.tools ?? []), SYNC_TOOL] } });
}

async function call(id: Json, { name, arguments: args }: Json): Promise<void> {
  if (name === SYNC_TOOL.name) {
    tell({ method: "notifications/tools/list_changed" });
    return tell({ id, result: { content: [{ type: "text", text: "¡Caché de MCP invalidado exitosamente!" }] } });
  }
  const asked = {
    id: "internal-go-1",
    jsonrpc: "2.0",
    method: "tools/call",
    params: { arguments: args ?? {}, name },
  };
  const { text } = await send("POST", "/mcp/tools/call", JSON.stringify(asked));
  const body = JSON.parse(text);
  const content = body.content ?? [{ type: "text", text }];
  tell({ id, result: body.result ?? { content } });
}

/** Go's client asks for gzip by itself and sends names of headers in its own spelling. */
function send(method: string, path: string, body?: string): Promise<{ status: number; text: string }> {
  const headers = {
    "User-Agent": "Go-http-client/1.1",
    ...(body !== undefined && { "Content-Length": Buffer.byteLength(body), "Content-Type": "application/json" }),
    ...(TOKEN !== "" && { "X-Handsai-Token": TOKEN }),
    "Accept-Encoding": "gzip",
  };
  return new Promise((resolve, reject) => {
    const sending = request(`${BACKEND}${path}`, { method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sending.on("error", reject).end(body);
  });
}

function tell(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}
