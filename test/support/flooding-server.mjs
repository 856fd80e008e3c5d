/**
 * MCP servers that talk without end when their tool `flood` is called: notifications, lines that are no messages, log lines, over
 * stdio, HTTP or a WebSocket. The call itself is answered only where that is asked for (`after`: messages before the answer);
 * who takes it back is heard. A device that dials in, a house and a voice cloud begin when they read a line.
 *
 *   node flooding-server.mjs stdio|http|websocket [words by which a test knows it]
 *   node flooding-server.mjs device|home|cloud <kind> [<address that a device dials>]
 */
import { createServer } from "node:http";
import process from "node:process";
import { setImmediate as turn } from "node:timers/promises";
import { WebSocket, WebSocketServer } from "ws";

const WORD = "x".repeat(40);
const KINDS = {
  notifications: () => json({ method: "notifications/message", params: { level: "info", data: WORD } }),
  progress: (token) => json({ method: "notifications/progress", params: { progressToken: token, progress: 1 } }),
  questions: () => json({ id: `q${Math.random()}`, method: "ping" }),
  garbage: () => WORD,
  events: () => `{"id":${subscription},"type":"event","event":{"c":{"light.a":{"+":{"s":"on","lc":1700000000}}}}}`,
  pongs: () => `{"id":${10_000_000},"type":"pong"}`,
  sound: () => Buffer.alloc(120),
};
/** Under which a house tells of its entities. */
let subscription = 0;

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

function listen(greet) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" }, () => console.log(server.address().port));
  server.on("connection", (socket) => greet(onCommand(socket)));
}

function onCommand(socket) {
  socket.on("error", () => {});
  process.stdin.once("data", () => void floodSocket(socket));
  return socket;
}

async function floodSocket(socket) {
  while (socket.readyState === socket.OPEN) {
    for (let n = 0; n < 100; n++) socket.send(KINDS[process.argv[3]](0));
    do await turn();
    while (socket.bufferedAmount > 1e6);
  }
}

function device() {
  const socket = onCommand(new WebSocket(process.argv[4], { headers: { "device-id": `flooding-${process.argv[3]}` } }));
  socket.on("open", () => socket.send('{"type":"hello","version":1,"features":{"mcp":true},"transport":"websocket"}'));
  socket.on("message", (data) => {
    const { payload } = JSON.parse(data);
    const write = async (text) => socket.send(`{"type":"mcp","payload":${text}}`);
    if (payload) void serve(JSON.stringify(payload), write);
  });
  socket.on("close", (_code, reason) => console.log(`${reason}`));
}

const ANSWERS_OF_HOUSE = { get_services: {}, get_config: { version: "2026.1.0" } };

function home() {
  listen((socket) => {
    const say = (message) => socket.send(JSON.stringify(message));
    say({ type: "auth_required", ha_version: "2026.1.0" });
    socket.on("message", (data) => {
      const { id, type } = JSON.parse(data);
      if (type === "auth") return say({ type: "auth_ok", ha_version: "2026.1.0" });
      say({ id, type: "result", success: true, result: ANSWERS_OF_HOUSE[type] ?? [] });
      if (type !== "subscribe_entities") return;
      subscription = id;
      say({ id, type: "event", event: { a: { "light.a": { s: "off", a: {}, c: "1", lc: 1 } } } });
    });
  });
}

function cloud() {
  listen((socket) => {
    const clientInfo = { name: "flooding", version: "1" };
    const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo };
    socket.send(json({ id: 0, method: "initialize", params }));
  });
}

({ stdio: overStdio, http: overHttp, websocket: overWebSocket, device, home, cloud })[process.argv[2]]();
