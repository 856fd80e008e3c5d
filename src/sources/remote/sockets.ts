/** Reaches an MCP server over a stream that stays open: HTTP+SSE of the oldest revision, or a WebSocket. */
import { ZaguanError } from "../../errors.ts";
import { anyOf } from "../../light-abort.ts";
import { openHttpSse } from "../../link/http-sse.ts";
import type { Link, LinkHandlers } from "../../link/link.ts";
import { openRedacted } from "../../link/redacted-link.ts";
import { openWebSocket } from "../../link/websocket.ts";
import { secretsIn } from "../../security/entry-secrets.ts";
import { connectPipe } from "../mcp-client/pipe.ts";
import type { Connection } from "../source.ts";
import type { Trip } from "./options.ts";

/** A server that takes longer to open a stream does not mean to. */
const OPENING_MS = 10_000;

/** Only servers of the older era know this transport, so that there is no era to be found. */
export function connectHttpSse(trip: Trip): Promise<Connection> {
  return connect(trip, trip.options.url, openHttpSse, false);
}

export function connectWebSocket(trip: Trip): Promise<Connection> {
  return connect(trip, trip.options.url, openWebSocket, true);
}

export function connectWebSocketPath(trip: Trip): Promise<Connection> {
  const url = new URL(trip.options.url);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/ws`;
  return connect(trip, url.href, openWebSocket, true);
}

/** What both kinds of links want to know. */
type Dial = (options: DialOptions, handlers: LinkHandlers) => Promise<Link>;
type DialOptions = Parameters<typeof openHttpSse>[0] & Parameters<typeof openWebSocket>[0];

function connect(trip: Trip, url: string, dial: Dial, asksForEra: boolean): Promise<Connection> {
  const { options, context, signal } = trip;
  const { headers, allowPrivate, maxBytes } = options;
  const open = async (handlers: LinkHandlers): Promise<Link> => {
    const late = new AbortController();
    const params = { source: context.name, reason: `it opened no stream within ${OPENING_MS / 1000} s` };
    const tooLate = new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent" });
    const stop = context.clock.after(OPENING_MS, () => late.abort(tooLate));
    const opening = anyOf(signal, late.signal);
    try {
      const wanted = { url, headers, allowPrivate, maxBytes, name: context.name, signal: opening };
      return await openRedacted(secretsIn({ url, headers }), handlers, (clean) => dial(wanted, clean));
    } finally {
      stop();
    }
  };
  return connectPipe({ open, memory: options.era, asksForEra, revision: options.revision }, context, signal);
}
