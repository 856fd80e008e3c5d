/** What both revisions need of HTTP: a server at one path, and answers that become event streams when they must. */
import { once } from "node:events";
import { createServer } from "node:http";
import process from "node:process";
import { json } from "node:stream/consumers";

/** Resolves with the address. */
export async function listenOn(port, methods) {
  const server = createServer((request, response) => {
    const handle = request.url === "/mcp" ? methods[request.method] : undefined;
    if (handle) void handle(request, response);
    else response.writeHead(405).end();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  process.on("SIGUSR2", () => server.closeAllConnections());
  process.on("disconnect", () => process.exit(0));
  return `http://127.0.0.1:${server.address().port}/mcp`;
}

export function readJson(request) {
  return json(request);
}

/** Plain JSON if the first thing said is the answer, else a stream that ends with it. */
export class EventReply {
  #response;

  constructor(response) {
    this.#response = response;
  }

  begin() {
    this.#response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    this.#response.flushHeaders();
  }

  send(message) {
    const response = this.#response;
    const isAnswer = message.method === undefined;
    if (response.writableEnded || response.destroyed) return;
    if (isAnswer && !response.headersSent) return void this.#json(message);
    if (!response.headersSent) this.begin();
    response.write(`data: ${JSON.stringify(message)}\n\n`);
    if (isAnswer) response.end();
  }

  end() {
    if (!this.#response.headersSent) this.begin();
    this.#response.end();
  }

  #json(message) {
    this.#response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
  }
}
