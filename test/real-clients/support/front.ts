/**
 * A relay in front of the hub that changes nothing and remembers which sessions its clients had, so that a test can ask
 * the hub for them when the client has gone.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

export interface Front {
  readonly url: string;
  /** How many sessions its clients had, of Streamable HTTP and of HTTP+SSE. */
  count(): number;
  /** Those that the hub still knows. */
  stillOpen(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openFront(hub: string): Promise<Front> {
  /** By the address at which each takes messages, and the header that names it. */
  const sessions = new Map<string, { readonly path: string; readonly id: string | undefined }>();
  const server = createServer((incoming, outgoing) => relay(hub, incoming, outgoing, remember));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  function remember(path: string, id: string | undefined): void {
    if (id !== undefined || (path.startsWith("/messages") && path.includes("=")))
      sessions.set(id ?? path, { path, id });
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => sessions.size,
    stillOpen: async () => {
      const open = [...sessions].map(async ([key, { path, id }]) => ((await isOpen(`${hub}${path}`, id)) ? [key] : []));
      return (await Promise.all(open)).flat();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function relay(
  hub: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  remember: (path: string, id: string | undefined) => void,
): void {
  const { method, url: path = "/", headers } = incoming;
  const onward = request(`${hub}${path}`, { method, headers: { ...headers, host: new URL(hub).host } }, (answer) => {
    remember(path, answer.headers["mcp-session-id"] as string | undefined);
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
    outgoing.flushHeaders();
  });
  onward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => onward.destroy());
  incoming.pipe(onward);
}

async function isOpen(url: string, id: string | undefined): Promise<boolean> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(id === undefined ? {} : { "mcp-session-id": id }),
  };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(PING) });
  await answer.body?.cancel();
  return answer.status !== 404;
}
