/**
 * The 2026 form of the fixture over Streamable HTTP, so that it can be tried without a hub in front of it: one POST is one
 * connection, answered with JSON, or with a stream of events once there is something to say before the answer. Whoever
 * closes the connection cancels the request.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { text as readText } from "node:stream/consumers";
import { Fixture2026, tools } from "./fixture-2026.mjs";
import { errorOf, refuse } from "./fixture-connection.mjs";
import { checkVersion, envelopeOf } from "./fixture-envelope.mjs";
import { checkHeaders } from "./fixture-headers.mjs";

const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;
/** The others are the method's own, and come with 200. */
const STATUS = { "-32601": 404, "-32020": 400, "-32021": 400, "-32022": 400 };

/** Resolves with the address of the endpoint. */
export async function serveHttp(port) {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${server.address().port}/mcp`;
}

async function answer(request, response) {
  if (!isLocal(request)) return void response.writeHead(403).end();
  if (request.url !== "/mcp") return void response.writeHead(404).end();
  if (request.method !== "POST") return void response.writeHead(405, { allow: "POST" }).end();
  const body = await readText(request);
  const problem = problemOf(body, request.headers);
  if (problem === undefined) return serve(body, response);
  if (problem === "notification") return void response.writeHead(202).end();
  return sendJson(response, 400, { jsonrpc: "2.0", ...problem });
}

/** What keeps the body from being served: nothing, that it is a notification, or an error. */
function problemOf(body, headers) {
  let id = null;
  try {
    const message = parsed(body);
    id = message.id ?? null;
    if (message.id === undefined) return "notification";
    const meta = envelopeOf(message);
    checkHeaders(message, headers, tools);
    checkVersion(meta);
    return undefined;
  } catch (failure) {
    return { id, error: errorOf(failure) };
  }
}

async function serve(body, response) {
  const connection = new Fixture2026((message) => send(response, message));
  response.on("close", () => connection.close());
  await connection.receive(body);
}

function send(response, message) {
  const isAnswer = message.method === undefined;
  if (isAnswer && !response.headersSent) return sendJson(response, STATUS[message.error?.code] ?? 200, message);
  if (!response.headersSent) {
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    });
  }
  response.write(`data: ${JSON.stringify(message)}\n\n`);
  if (isAnswer) response.end();
}

function sendJson(response, status, message) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(message));
}

function isLocal({ headers: { host = "", origin } }) {
  return LOCAL.test(host) && (origin === undefined || LOCAL.test(origin.replace(/^https?:\/\//, "")));
}

function parsed(body) {
  const message = json(body) ?? refuse(-32700, "Parse error");
  return typeof message.method === "string" ? message : refuse(-32600, "Not a request");
}

function json(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
