/** A load balancer that knows nothing: each request goes to the next of its servers, and what is broken on one side is broken on the other. */
import { request as begin, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";

export interface Balancer {
  readonly url: string;
  /** The servers that get a turn. */
  servers: readonly string[];
  close(): void;
}

export async function openBalancer(servers: readonly string[]): Promise<Balancer> {
  let turn = 0;
  const server = createServer((request, response) => {
    const url = balancer.servers[turn++ % balancer.servers.length] as string;
    pass(url, request, response);
  });
  server.on("upgrade", (request, socket, head) => {
    const { hostname, port, host } = new URL(balancer.servers[turn++ % balancer.servers.length] as string);
    const passed = connect(Number(port), hostname);
    const lines = Object.entries({ ...request.headers, host }).map(([name, value]) => `${name}: ${value}\r\n`);
    passed.write(`GET ${request.url} HTTP/1.1\r\n${lines.join("")}\r\n`);
    passed.write(head);
    for (const end of [socket, passed])
      end.on("error", () => {}).on("close", () => [socket, passed].map((one) => one.destroy()));
    socket.pipe(passed).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const balancer: Balancer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    servers,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return balancer;
}

function pass(url: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = request;
  const host = new URL(url).host;
  const passed = begin(`${url}${request.url}`, { method, agent: false, headers: { ...headers, host } });
  passed.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
    answer.on("close", () => answer.complete || response.destroy()).on("error", () => {});
    answer.pipe(response);
  });
  passed.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on("close", () => passed.destroy());
  request.pipe(passed);
}
