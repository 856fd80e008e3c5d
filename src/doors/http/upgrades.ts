/** Where connections may become WebSockets, and the plain answer to those that may not. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import { encodeError } from "../../protocol/json-rpc/message.ts";
import type { Door, Route, Upgrade } from "../door.ts";
import { rpcError } from "../mcp/failure.ts";
import { failureHeaders } from "./exchange.ts";
import { type Place, Routes } from "./routes.ts";

/** What was found for a path, with what stands in the path for its placeholders. */
export type FoundUpgrade = Upgrade & Pick<Place, "names">;

/** Finds the upgrade of a path, if one may begin there; paths are told apart as those of requests are. */
export function upgradesOf(doors: readonly Door[]): (path: string) => FoundUpgrade | undefined {
  const byPath = new Map<string, Upgrade>();
  for (const upgrade of doors.flatMap((door) => door.upgrades ?? [])) {
    if (byPath.has(upgrade.path)) throw new TypeError(`two doors claim upgrades on ${upgrade.path}`);
    byPath.set(upgrade.path, upgrade);
  }
  const places = new Routes([{ name: "upgrades", routes: [...byPath.values()].map(asRoute) }]);
  return (path) => {
    const place = places.find(path);
    const upgrade = byPath.get(place?.methods.get("GET")?.path ?? "");
    return place && upgrade && { ...upgrade, names: place.names };
  };
}

function asRoute({ path, needs }: Upgrade): Route {
  return { method: "GET", path, needs, handle: () => {} };
}

export function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

/** Written by hand: no response of Node's belongs to such a connection. */
export function refuseUpgrade(socket: Duplex, error: ZaguanError, language: Language): void {
  const body = encodeError("null", rpcError(error, language));
  const headers = {
    ...failureHeaders(error),
    connection: "close",
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  hangUp(socket, `HTTP/1.1 ${error.row.http} ${REASONS[error.row.http] ?? "Refused"}\r\n${lines.join("")}\r\n${body}`);
}

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  500: "Internal Server Error",
  503: "Service Unavailable",
  508: "Loop Detected",
};

/** Long enough for the other side to read the answer. */
const LINGER_MS = 1_000;

/** Writes a last answer and ends the connection, also where the other side does not close its half in turn. */
export function hangUp(socket: Duplex, said: string): void {
  socket.end(said);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer)).resume();
}
