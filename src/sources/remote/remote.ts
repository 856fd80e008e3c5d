/**
 * An MCP server that is known by its URL alone. How it is to be spoken to is found by trying, in the order in which the
 * ways are likely, and remembered. Nothing that a caller asked for is sent before one of them has led to the server.
 */
import { toZaguanError, ZaguanError } from "../../errors.ts";
import { anyOf, type CancelSignal, LightAbort } from "../../light-abort.ts";
import type { ConnectContext, Connection, SourceKind } from "../source.ts";
import { type Attempt, Attempts, CONNECTED, leadsOn } from "./attempts.ts";
import { REMOTE, type RemoteOptions, type Trip, type Way } from "./options.ts";
import { connectBare, connectHttpSse, connectWebSocket, connectWebSocketPath } from "./other-transports.ts";
import { connectStreamableHttp, HANDSHAKE } from "./streamable-http.ts";

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

const SOCKETS: readonly Way[] = ["websocket", "websocket-path"];
const ORDERS: Readonly<Record<RemoteOptions["first"], readonly Way[]>> = {
  http: ["streamable", "bare", "sse", ...SOCKETS],
  sse: ["sse", "streamable", "bare", ...SOCKETS],
  websocket: [...SOCKETS, "streamable", "bare", "sse"],
};

/** A way that is silent for so long is not given up, but the next is tried beside it. */
const PATIENCE_MS = 10_000;

async function connect(
  options: RemoteOptions,
  context: ConnectContext,
  signal: CancelSignal,
): Promise<RemoteConnection> {
  const search = new Search(options, context, signal);
  try {
    const { way, connection } = await search.find(orderFor(options, context));
    if (!context.client?.isLent) options.way.remember(way, context.clock);
    const { list } = search.attempts;
    const { transport } = list.findLast(({ outcome }) => outcome === CONNECTED) ?? WAYS[way];
    return Object.assign(connection, { transport, attempts: list });
  } finally {
    search.end();
  }
}

interface Found {
  readonly way: Way;
  readonly connection: Connection;
}

/** Undefined where the way led nowhere. */
type Running = Promise<Found | undefined>;

/** One after the other; but a server may take long to wake, so that a silent way goes on while others are tried. */
class Search {
  readonly attempts: Attempts;
  readonly #options: RemoteOptions;
  readonly #context: ConnectContext;
  readonly #over = new LightAbort();
  readonly #trip: Trip;
  readonly #running = new Set<Running>();

  constructor(options: RemoteOptions, context: ConnectContext, signal: CancelSignal) {
    this.attempts = new Attempts(context);
    this.#options = options;
    this.#context = context;
    this.#trip = { options, context, attempts: this.attempts, signal: anyOf(signal, this.#over) };
  }

  /** Rejects with the failure that makes all further ways useless, or with what became of each. */
  async find(order: readonly Way[]): Promise<Found> {
    for (const way of order) {
      const found = await this.#tryNext(way);
      if (found) return found;
    }
    while (this.#running.size > 0) {
      const found = await Promise.race(this.#running);
      if (found) return found;
    }
    throw this.attempts.failure();
  }

  /** Those that still run are of no use; one that connects all the same is closed. */
  end(): void {
    this.#over.abort(new ZaguanError("CANCELLED"));
    for (const running of this.#running) running.then((found) => found?.connection.close()).catch(() => {});
  }

  async #tryNext(way: Way): Promise<Found | undefined> {
    const running: Running = this.#try(way).finally(() => this.#running.delete(running));
    this.#running.add(running);
    const late = Promise.withResolvers<"late">();
    const stop = this.#context.clock.after(PATIENCE_MS, () => late.resolve("late"));
    try {
      while (this.#running.has(running)) {
        const first = await Promise.race([...this.#running, late.promise]);
        if (first) return first === "late" ? undefined : first;
      }
      return undefined;
    } finally {
      stop();
    }
  }

  async #try(way: Way): Running {
    const { transport, connect } = WAYS[way];
    // Streamable HTTP is two ways in one, and tells of each by itself.
    const attempts = way === "streamable" ? undefined : this.attempts;
    try {
      const connection = await connect(this.#trip);
      attempts?.succeeded(transport);
      return { way, connection };
    } catch (cause) {
      const error = toZaguanError(cause);
      if (this.#trip.signal.aborted) throw error;
      if (!this.#context.client?.isLent) forget(this.#options);
      attempts?.failed(transport, error);
      if (!leadsOn(error)) throw error;
      return undefined;
    }
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
