/**
 * Reaches servers that do not speak Streamable HTTP: over a stream that stays open (HTTP+SSE of the oldest revision, or
 * a WebSocket), or as bare JSON-RPC.
 */
import { ZaguanError } from "../../errors.ts";
import { anyOf, type CancelSignal } from "../../light-abort.ts";
import { statusOf, unavailable } from "../../link/http-failures.ts";
import { openHttpSse } from "../../link/http-sse.ts";
import type { Link, LinkHandlers } from "../../link/link.ts";
import { openRedacted } from "../../link/redacted-link.ts";
import { openWebSocket } from "../../link/websocket.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { swapProgressToken } from "../../protocol/mcp/progress-token.ts";
import { secretsIn } from "../../security/entry-secrets.ts";
import type { Conversation } from "../mcp-client/conversation.ts";
import { connectPipe } from "../mcp-client/pipe.ts";
import { asToolResult, callParams } from "../mcp-client/tool-call.ts";
import { lawfulPage, toolsIn } from "../mcp-client/tool-definition.ts";
import { readTools } from "../mcp-client/tool-list.ts";
import type { Connection, SourceRequest } from "../source.ts";
import type { Trip } from "./options.ts";
import { openConversation } from "./streamable-http.ts";

/**
 * A server that answers `tools/list` and `tools/call` as plain JSON-RPC over POST and knows nothing else of MCP: no
 * handshake, no session, no revision. Its results may be any JSON; where they are no result of MCP they become one.
 */
export async function connectBare({ options, context, signal }: Trip): Promise<Connection> {
  const { conversation, link } = await openConversation(options, context);
  const { peer } = conversation;
  const list = (params: string, listSignal: CancelSignal): Promise<Payload> =>
    peer.request("tools/list", () => params, { signal: listSignal, cancellable: false, isDeep: true });
  try {
    if (!toolsIn((await list("{}", signal)).value)) throw noTools(context.name);
  } catch (error) {
    await link.close();
    throw error;
  }
  return {
    listTools: (listSignal) => readTools(undefined, (params) => list(params, listSignal), conversation.warn),
    request: (request) =>
      call(conversation, request).catch(async (cause) => {
        // Such a status may be a tool's own way to fail. If nothing at all answers here any more, nothing can have run.
        if (!isElsewhere(cause) || !(await list("{}", request.signal).then(never, isElsewhere))) throw cause;
        // This connection is of no more use; the next one finds the way that there is now.
        void link.close();
        throw moved(context.name, cause);
      }),
    closed: link.closed,
    close: () => link.close(),
  };
}

async function call({ peer }: Conversation, request: SourceRequest): Promise<Payload> {
  const { method, signal, onProgress } = request;
  const params = callParams(request);
  const options = { signal, onProgress, cancellable: false };
  const result = await peer.request(method, (id) => swapProgressToken(params, id), options);
  if (method === "tools/call") return asToolResult(result);
  return method === "tools/list" ? lawfulPage(result) : result;
}

/** By these a server says that nothing at all answers here, so that nothing can have run. */
const ELSEWHERE: ReadonlySet<number> = new Set([404, 405, 410, 426, 501]);

function isElsewhere(cause: unknown): boolean {
  return cause instanceof ZaguanError && ELSEWHERE.has(statusOf(cause) ?? 0);
}

function never(): boolean {
  return false;
}

function moved(source: string, cause: unknown): ZaguanError {
  const params = { source, reason: "it does not answer over HTTP any more" };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent", cause });
}

function noTools(source: string): ZaguanError {
  const params = { source, reason: "its answer is no list of tools" };
  return new ZaguanError("SOURCE_ERROR", { params, delivery: "executed" });
}

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
    const tooLate = unavailable(context.name, `it opened no stream within ${OPENING_MS / 1000} s`);
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
