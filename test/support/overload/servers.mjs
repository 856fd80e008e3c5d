/**
 * Several MCP servers at one port, `/s0/mcp`, `/s1/mcp` …: each has the tool `work`, which takes so many milliseconds, more
 * or less by half, as real work does.
 * `POST /mute?sN=1` makes one of them a black hole: it takes requests and never answers; `sN=0` brings it
 * back, and tells when it was asked meanwhile.
 * `POST /reset` resets every other connection, whatever is under way on it.
 * Usage: servers.mjs MILLISECONDS; prints its port.
 */
import { createServer } from "node:http";
import process from "node:process";

const workMs = Number(process.argv[2] ?? 10);
/** Since when each says nothing. */
const mute = new Map();
/** When the last one that was mute was asked something meanwhile, in milliseconds since it fell silent. */
let heard = [];
const sockets = new Set();

const TOOL = { name: "work", description: "Takes its time.", inputSchema: { type: "object", properties: {} } };

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion ?? "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "worker", version: "1" },
  }),
  "tools/list": (_params, name) => ({ tools: [{ ...TOOL, name: `${name}-work` }] }),
  ping: () => ({}),
};

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://here");
  const name = url.pathname.split("/")[1] ?? "";
  if (name === "mute") {
    for (const [key, value] of url.searchParams) setMute(key, value === "1");
    return response.end(JSON.stringify({ heard }));
  }
  if (name === "reset") {
    for (const socket of sockets) if (socket !== request.socket) socket.resetAndDestroy();
    return response.end();
  }
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    if (mute.has(name)) return heard.push(performance.now() - mute.get(name));
    if (request.method !== "POST") return response.writeHead(405).end();
    answer(JSON.parse(body), name, response);
  });
});

function setMute(name, on) {
  if (on) heard = [];
  if (on) mute.set(name, performance.now());
  else mute.delete(name);
}

function answer({ id, method, params }, name, response) {
  const say = (status, message) => response.writeHead(status, { "content-type": "application/json" }).end(message);
  const result = (value) => say(200, JSON.stringify({ jsonrpc: "2.0", id, result: value }));
  if (id === undefined) return response.writeHead(202).end();
  if (method === "tools/call") {
    const done = { content: [{ type: "text", text: "done" }] };
    return setTimeout(() => result(done), workMs * (0.5 + Math.random()));
  }
  const handle = METHODS[method];
  if (handle) result(handle(params ?? {}, name));
  else say(404, JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown method" } }));
}

server.on("connection", (socket) => {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
