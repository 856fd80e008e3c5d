/** Forwards a client's HTTP request to another node over a connection to it, and passes the answer back to the client. */
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ZaguanError } from "../../errors.ts";
import type { Exchange } from "../door.ts";

/** Not by `import`, as in `server.ts`. */
const { request: httpRequest } = process.getBuiltinModule("node:http");

/** Headers that concern a single connection, and are not forwarded. */
const HOP_BY_HOP = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer"]);

/**
 * Resolves when the answer has begun, or the client has left; the rest of the answer is streamed afterwards. Rejects with
 * OUTCOME_UNKNOWN if the other node is lost before its answer begins.
 */
export function forwardRequest(exchange: Exchange, connection: Duplex, node: string, body?: string): Promise<void> {
  const { response } = exchange;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const forwarded = send(exchange, connection, body);
  forwarded.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders));
    response.flushHeaders();
    // A broken answer breaks the client's connection too, so that a client of an event stream reconnects with Last-Event-ID.
    answer.on("close", () => answer.complete || response.destroy()).on("error", () => {});
    answer.pipe(response);
    resolve();
  });
  forwarded.on("error", () => reject(lostNode(node)));
  response.on("close", () => {
    forwarded.destroy();
    resolve();
  });
  forwarded.end(body);
  return promise;
}

/** Sends a copy of the request, and ignores the answer. */
export function forwardCopy(exchange: Exchange, connection: Duplex, body: string): void {
  const forwarded = send(exchange, connection, body);
  forwarded.on("response", (answer) => void answer.resume()).on("error", () => {});
  forwarded.end(body);
}

function send({ request }: Exchange, connection: Duplex, body: string | undefined) {
  return httpRequest({
    method: request.method,
    path: request.url,
    headers: [...endToEnd(request.rawHeaders, "content-length"), ...contentLength(body), "connection", "close"],
    setHost: false,
    createConnection: () => connection as Socket,
  });
}

/** The headers to forward, names and values alternating as in `rawHeaders`. */
function endToEnd(rawHeaders: readonly string[], ...without: readonly string[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (!HOP_BY_HOP.has(lower) && !without.includes(lower)) headers.push(name, value);
  }
  return headers;
}

function contentLength(body: string | undefined): string[] {
  return body === undefined ? [] : ["content-length", String(Buffer.byteLength(body))];
}

export function lostNode(node: string): ZaguanError {
  return new ZaguanError("OUTCOME_UNKNOWN", { params: { source: node }, delivery: "unknown" });
}
