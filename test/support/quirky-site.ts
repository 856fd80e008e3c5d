/** The quirky server over every transport that has an address: what is spoken depends on the path. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { answer } from "./quirky-server.ts";

export interface QuirkySite {
  /** `http://127.0.0.1:PORT`; at `/bare`, `/http`, `/sse` and `/socket` there is one each. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function openQuirkySite(): Promise<QuirkySite> {
  const sockets = new WebSocketServer({ noServer: true });
  let stream: ServerResponse | undefined;
  const server = createServer(async (request, response) => {
    if (request.method === "GET" && request.url === "/sse") stream = openStream(response);
    else if (request.method !== "POST") response.writeHead(405).end();
    else await take(request, response, stream);
  });
  server.on("upgrade", (request, socket, head) => {
    if (request.url !== "/socket") return void socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      accepted.on("message", (data) => {
        const said = answer(JSON.parse(data.toString()), true);
        if (said) accepted.send(JSON.stringify(said));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function openStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream" }).write("event: endpoint\ndata: /messages\n\n");
  return response;
}

async function take(request: IncomingMessage, response: ServerResponse, stream?: ServerResponse): Promise<void> {
  const message = JSON.parse(Buffer.concat(await request.toArray()).toString());
  if (request.url === "/sse" || request.url === "/socket") return void response.writeHead(404).end();
  const said = answer(message, request.url !== "/bare");
  if (request.url === "/messages") {
    response.writeHead(202).end();
    if (said) stream?.write(`data: ${JSON.stringify(said)}\n\n`);
  } else if (said) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
  } else response.writeHead(202).end();
}
