/**
 * The echo server over HTTP. `/mcp` is one server; `/mcp/PREFIX` are as many others as are asked for, each with tools of
 * its own names. It gives out sessions and knows them again; who sends none is served as well.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import process from "node:process";
import { accept, announce, answerJson, readBody } from "./body.mjs";
import { makeEcho } from "./echo.mjs";

const settings = JSON.parse(process.argv[2] ?? "{}");
const echoes = new Map();
const sessions = new Set();

const server = createServer((request, response) => {
  const session = request.headers["mcp-session-id"];
  if (request.method === "DELETE") return end(session, response);
  if (request.method !== "POST") return refuse(response, 405);
  if (session !== undefined && !sessions.has(session)) return refuse(response, 404);
  readBody(request, (body) => {
    const answer = echoAt(request.url)(body);
    if (answer === undefined) return accept(response);
    if (session === undefined && answer.includes('"serverInfo"') && body.includes('"initialize"')) greet(response);
    answerJson(response, answer);
  });
});

function echoAt(path) {
  let echo = echoes.get(path);
  if (!echo) {
    echo = makeEcho({ ...settings, prefix: path.split("/")[2] ?? "" });
    echoes.set(path, echo);
  }
  return echo;
}

function greet(response) {
  const session = randomUUID();
  sessions.add(session);
  response.setHeader("mcp-session-id", session);
}

function end(session, response) {
  sessions.delete(session);
  accept(response);
}

function refuse(response, status) {
  response.writeHead(status, ["content-length", 0]);
  response.end();
}

announce(server);
