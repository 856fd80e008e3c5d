/** Streamable HTTP of revision 2026-07-28: one POST is one request, and closing it cancels it. */
import { EventReply, listenOn, readJson } from "./http.mjs";
import { Connection2026 } from "./revision-2026.mjs";

export function serveHttp2026(tools, port) {
  return listenOn(port, { POST: (request, response) => post(request, response, tools) });
}

async function post(request, response, tools) {
  const message = await readJson(request);
  if (message.id === undefined) return void response.writeHead(202).end();
  const reply = new EventReply(response);
  const connection = new Connection2026(tools, (said) => reply.send(said));
  response.on("close", () => connection.close());
  await connection.receive(message);
}
