/**
 * A server that answers `tools/list` and `tools/call` as plain JSON-RPC over POST and knows nothing else of MCP: no
 * handshake, no session, no revision. Its results may be any JSON; where they are no result of MCP they become one.
 */
import { ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import { statusOf } from "../../link/http-failures.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { swapProgressToken } from "../../protocol/mcp/progress-token.ts";
import { callParams } from "../mcp-client/call-params.ts";
import type { Conversation } from "../mcp-client/conversation.ts";
import { lawfulPage, toolsIn } from "../mcp-client/tool-definition.ts";
import { readTools } from "../mcp-client/tool-list.ts";
import { asToolResult } from "../mcp-client/tool-result.ts";
import type { Connection, SourceRequest } from "../source.ts";
import type { Trip } from "./options.ts";
import { openConversation } from "./streamable-http.ts";

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
