/**
 * An MCP server that is known by its URL alone. How it is to be spoken to is found by trying, in the order in which the
 * ways are likely, and remembered. Nothing that a caller asked for is sent before one of them has led to the server.
 */
import { toZaguanError, type ZaguanError } from "../../errors.ts";
import { statusOf } from "../../link/http-failures.ts";
import type { StopSignal } from "../../stop.ts";
import type { ConnectContext, Connection, SourceKind } from "../source.ts";
import { type Attempt, Attempts, leadsOn } from "./attempts.ts";
import { connectBare } from "./bare.ts";
import { REMOTE, type RemoteOptions, type Trip } from "./options.ts";
import { connectHttpSse, connectWebSocket, connectWebSocketPath } from "./sockets.ts";
import { connectStreamableHttp, HANDSHAKE } from "./streamable-http.ts";
import type { Way } from "./way-memory.ts";

/** How a server was reached, and what was tried before. */
export interface RemoteConnection extends Connection {
  readonly transport: string;
  readonly attempts: readonly Attempt[];
}

export const remote: SourceKind<RemoteOptions> = { ...REMOTE, connect };

const WAYS: Readonly<Record<Way, { readonly transport: string; connect(trip: Trip): Promise<Connection> }>> = {
  streamable: { transport: HANDSHAKE, connect: connectStreamableHttp },
  bare: { transport: "bare JSON-RPC", connect: connectBare },
  sse: { transport: "HTTP+SSE", connect: connectHttpSse },
  websocket: { transport: "WebSocket", connect: connectWebSocket },
  "websocket-path": { transport: "WebSocket at /ws", connect: connectWebSocketPath },
};

const OPENED_BY_GET: ReadonlySet<Way> = new Set(["sse", "websocket", "websocket-path"]);
const SOCKETS: readonly Way[] = ["websocket", "websocket-path"];
const ORDERS: Readonly<Record<RemoteOptions["first"], readonly Way[]>> = {
  http: ["streamable", "bare", "sse", ...SOCKETS],
  sse: ["sse", "streamable", "bare", ...SOCKETS],
  websocket: [...SOCKETS, "streamable", "bare", "sse"],
};

async function connect(options: RemoteOptions, context: ConnectContext, signal: StopSignal): Promise<RemoteConnection> {
  const attempts = new Attempts(context);
  const trip: Trip = { options, context, attempts, signal };
  for (const way of orderFor(options, context)) {
    const connection = await tryWay(way, trip);
    if (!connection) continue;
    if (!context.client?.isLent) options.way.remember(way, context.clock);
    const { transport } = attempts.list.at(-1) ?? WAYS[way];
    return Object.assign(connection, { transport, attempts: attempts.list });
  }
  throw attempts.failure();
}

/** Undefined if the next one may do better. */
async function tryWay(way: Way, trip: Trip): Promise<Connection | undefined> {
  const { options, attempts, signal } = trip;
  try {
    const connection = await WAYS[way].connect(trip);
    // Streamable HTTP is two ways in one, and tells of each by itself.
    if (way !== "streamable") attempts.succeeded(WAYS[way].transport);
    return connection;
  } catch (cause) {
    const error = toZaguanError(cause);
    if (!trip.context.client?.isLent) forget(options);
    if (way !== "streamable") attempts.failed(WAYS[way].transport, error);
    const isLost = OPENED_BY_GET.has(way) ? isFinal(error) : !leadsOn(error);
    if (signal.aborted || isLost) throw error;
    return undefined;
  }
}

function forget({ way, era }: RemoteOptions): void {
  way.forget();
  era.forget();
}

/**
 * What is known to work comes first, and alone where a server is up already and only one more connection is wanted. Nothing
 * but a WebSocket can be had at a URL that says so.
 */
function orderFor({ url, first, way }: RemoteOptions, { clock, client }: ConnectContext): readonly Way[] {
  const known = way.recall(clock);
  if (known && client?.isLent) return [known];
  if (/^wss?:/i.test(url)) return SOCKETS;
  return known ? [known, ...ORDERS[first].filter((other) => other !== known)] : ORDERS[first];
}

/** Nothing is sent before these are open, so that only a server that cannot be had at all is a reason to stop. */
function isFinal(error: ZaguanError): boolean {
  const { cause } = error.details;
  const isUnreachable =
    cause instanceof Error && "code" in cause && /^(?:E[A-Z]|UND_ERR|CERT|FORBIDDEN)/.test(String(cause.code));
  return statusOf(error) === undefined ? isUnreachable || error.code === "FORBIDDEN_ADDRESS" : !leadsOn(error);
}
