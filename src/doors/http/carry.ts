/** Lets another node answer a request: over a connection to it, in HTTP, as if the client had come to it. */
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ZaguanError } from "../../errors.ts";
import type { Exchange } from "../door.ts";

/** Not by `import`, as in `server.ts`. */
const { request: begin } = process.getBuiltinModule("node:http");

/** They belong to one connection. */
const OF_CONNECTION = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer"]);

/**
 * Resolves when the answer has begun, or its client has left; its rest follows. Rejects where the other node is lost before that:
 * then nobody knows what it did.
 */
export function carry(exchange: Exchange, connection: Duplex, node: string, body?: string): Promise<void> {
  const { response } = exchange;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const asked = ask(exchange, connection, body);
  asked.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, kept(answer.rawHeaders));
    response.flushHeaders();
    // What is broken there is broken here: a client that knows its place comes back for the rest.
    answer.on("close", () => answer.complete || response.destroy()).on("error", () => {});
    answer.pipe(response);
    resolve();
  });
  asked.on("error", () => reject(lostNode(node)));
  response.on("close", () => {
    asked.destroy();
    resolve();
  });
  asked.end(body);
  return promise;
}

/** The same request once more, whose answer nobody waits for. */
export function tell(exchange: Exchange, connection: Duplex, body: string): void {
  const asked = ask(exchange, connection, body);
  asked.on("response", (answer) => void answer.resume()).on("error", () => {});
  asked.end(body);
}

function ask({ request }: Exchange, connection: Duplex, body: string | undefined) {
  return begin({
    method: request.method,
    path: request.url,
    headers: [...kept(request.rawHeaders, "content-length"), ...lengthOf(body), "connection", "close"],
    setHost: false,
    createConnection: () => connection as Socket,
  });
}

/** Names and values in turn, without those that the connection decides on. */
function kept(rawHeaders: readonly string[], ...without: readonly string[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (!OF_CONNECTION.has(lower) && !without.includes(lower)) headers.push(name, value);
  }
  return headers;
}

function lengthOf(body: string | undefined): string[] {
  return body === undefined ? [] : ["content-length", String(Buffer.byteLength(body))];
}

export function lostNode(node: string): ZaguanError {
  return new ZaguanError("OUTCOME_UNKNOWN", { params: { source: node }, delivery: "unknown" });
}
