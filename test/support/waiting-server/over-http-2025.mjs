/** Streamable HTTP of revision 2025-11-25 with sessions; what belongs to no request goes to a session's GET stream. */
import { randomUUID } from "node:crypto";
import { EventReply, listenOn, readJson } from "./http.mjs";
import { Connection2025 } from "./revision-2025.mjs";

export function serveHttp2025(tools, port) {
  const sessions = new Map();
  const methods = {
    POST: (request, response) => post(request, response, tools, sessions),
    GET: (request, response) => stream(response, sessions.get(request.headers["mcp-session-id"])),
    DELETE: (request, response) => {
      sessions.get(request.headers["mcp-session-id"])?.connection.close();
      sessions.delete(request.headers["mcp-session-id"]);
      response.writeHead(204).end();
    },
  };
  return listenOn(port, methods);
}

async function post(request, response, tools, sessions) {
  const message = await readJson(request);
  const reply = new EventReply(response);
  if (message.method === "initialize") {
    const id = randomUUID();
    sessions.set(id, new Session(tools));
    response.setHeader("mcp-session-id", id);
  }
  const id = response.getHeader("mcp-session-id") ?? request.headers["mcp-session-id"];
  const session = sessions.get(id);
  if (!session) return void response.writeHead(id === undefined ? 400 : 404).end();
  if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
  await session.connection.receive(message, (said) => reply.send(said));
  // A call that was cancelled is answered by nothing; its exchange ends all the same.
  if (!response.writableEnded) reply.end();
}

function stream(response, session) {
  if (!session) return void response.writeHead(404).end();
  session.stream = new EventReply(response);
  session.stream.begin();
}

class Session {
  connection;
  stream;

  constructor(tools) {
    this.connection = new Connection2025(tools, (message) => this.stream?.send(message));
  }
}
