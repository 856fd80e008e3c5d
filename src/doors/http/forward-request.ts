/** Forwards a client's HTTP request to another node over a connection to it, and passes the answer back to the client. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ZaguanError } from "../../errors.ts";
import type { Exchange } from "../door.ts";
import { isUnread, type Reader } from "./unread.ts";

/** Not by `import`, as in `server.ts`. */
const { request: httpRequest } = process.getBuiltinModule("node:http");

const UNREAD_MS = 10_000;

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
    limitReading(exchange, answer);
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

/**
 * What its caller does not read of such an answer waits here, and counts as one of our own would; it has the same time, too. Silence
 * where nothing waits may last for as long as it likes.
 */
function limitReading({ request, response }: Exchange, answer: IncomingMessage): void {
  const reader: Reader = {
    get writableLength() {
      return response.writableLength + answer.readableLength;
    },
    get destroyed() {
      return response.destroyed;
    },
    destroy: () => response.destroy(),
  };
  // As a pipe does, `pause` says that the caller reads more slowly than the other node sends.
  answer.on("pause", () => isUnread(reader, request.socket));
  answer.on("end", () => reader.writableLength > 0 && isUnread(reader, request.socket));
  response.setTimeout(UNREAD_MS, () => reader.writableLength > 0 && reader.destroy());
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
