/**
 * MCP servers that talk without end when their tool `flood` is called: notifications, lines that are no messages, log lines, over
 * stdio, HTTP or a WebSocket. The call itself is answered only where that is asked for (`after`: messages before the answer);
 * who takes it back is heard.
 *
 *   node flooding-server.mjs stdio|http|websocket [words by which a test knows it]
 */
import { createServer } from "node:http";
import process from "node:process";
import { setImmediate as turn } from "node:timers/promises";
import { WebSocketServer } from "ws";

const WORD = "x".repeat(40);
const KINDS = {
  notifications: () => json({ method: "notifications/message", params: { level: "info", data: WORD } }),
  progress: (token) => json({ method: "notifications/progress", params: { progressToken: token, progress: 1 } }),
  questions: () => json({ id: `q${Math.random()}`, method: "ping" }),
  garbage: () => WORD,
};

const takenBack = new Set();

function json(message) {
  return JSON.stringify({ jsonrpc: "2.0", ...message });
}

/** `write` resolves when there is room again. */
async function serve(text, write) {
  const { id, method, params } = JSON.parse(text);
  const answer = (result) => write(json({ id, result }));
  if (method === "initialize") {
    const serverInfo = { name: "flooding", version: "1" };
    await answer({ protocolVersion: "2025-06-18", capabilities: { tools: {}, logging: {} }, serverInfo });
  } else if (method === "tools/list") {
    const properties = { kind: { type: "string" }, after: { type: "integer" } };
    await answer({ tools: [{ name: "flood", inputSchema: { type: "object", properties } }] });
  } else if (method === "tools/call") await flood(params, answer, write, () => takenBack.has(id));
  else if (method === "notifications/cancelled") takenBack.add(params.requestId);
  else if (id !== undefined && method !== undefined)
    await write(json({ id, error: { code: -32601, message: "unknown" } }));
}

async function flood({ arguments: { kind, after = Number.POSITIVE_INFINITY }, _meta }, answer, write, isOver) {
  const say = kind === "log" ? () => toLog(WORD) : () => write(KINDS[kind](_meta?.progressToken ?? 0));
  for (let said = 0; said < after && !isOver(); said++) await say();
  await answer({ content: [{ type: "text", text: "done" }] });
}

function into(stream, end = "\n") {
  let said = 0;
  return async (text) => {
    if (!stream.write(text + end)) await new Promise((resolve) => stream.once("drain", resolve));
    else if (++said % 1000 === 0) await turn();
  };
}

const toLog = into(process.stderr);

function overStdio() {
  const write = into(process.stdout);
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) void serve(line, write);
  });
  process.stdin.on("end", () => process.exit(0));
}

function overHttp() {
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const chunks = await Array.fromAsync(request);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.on("error", () => {});
    await serve(Buffer.concat(chunks).toString(), (text) => into(response, "\n\n")(`data: ${text}`));
    response.end();
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
}

function overWebSocket() {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" }, () => console.log(server.address().port));
  server.on("connection", (socket) => {
    const write = async (text) => {
      socket.send(text);
      while (socket.bufferedAmount > 1e6) await new Promise((resolve) => setTimeout(resolve, 1));
    };
    socket.on("error", () => {});
    socket.on("message", (data) => void serve(String(data), write));
  });
}

({ stdio: overStdio, http: overHttp, websocket: overWebSocket })[process.argv[2]]();
