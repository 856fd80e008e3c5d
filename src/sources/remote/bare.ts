/**
 * A server that answers `tools/list` and `tools/call` as plain JSON-RPC over POST and knows nothing else of MCP: no
 * handshake, no session, no revision. Its results may be any JSON; where they are no result of MCP they become one.
 */
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { swapProgressToken } from "../../protocol/mcp/progress-token.ts";
import type { StopSignal } from "../../stop.ts";
import { callParams } from "../mcp-client/call-params.ts";
import type { Conversation } from "../mcp-client/conversation.ts";
import { readTools } from "../mcp-client/tool-list.ts";
import type { Connection, SourceRequest } from "../source.ts";
import type { Trip } from "./options.ts";
import { openConversation } from "./streamable-http.ts";

export async function connectBare({ options, context, signal }: Trip): Promise<Connection> {
  const { conversation, link } = await openConversation(options, context);
  const { peer } = conversation;
  const list = (params: string, listSignal: StopSignal): Promise<Payload> =>
    peer.request("tools/list", () => params, { signal: listSignal, cancellable: false });
  try {
    if (!isToolList(await list("{}", signal))) throw noTools(context.name);
  } catch (error) {
    await link.close();
    throw error;
  }
  return {
    listTools: (listSignal) => readTools(undefined, (params) => list(params, listSignal)),
    request: (request) => call(conversation, request),
    closed: link.closed,
    close: () => link.close(),
  };
}

async function call({ peer }: Conversation, request: SourceRequest): Promise<Payload> {
  const { method, signal, onProgress } = request;
  const params = callParams(request);
  const options = { signal, onProgress, cancellable: false };
  const result = await peer.request(method, (id) => swapProgressToken(params, id), options);
  return method === "tools/call" ? asToolResult(result) : result;
}

/** Text as text; anything else that is no result of MCP as the JSON that it is. */
function asToolResult(result: Payload): Payload {
  const { value } = result;
  if (typeof value === "string") return Payload.ofValue({ content: [{ type: "text", text: value }] });
  if (isObject(value) && (Array.isArray(value["content"]) || "structuredContent" in value)) return result;
  const content = JSON.stringify([{ type: "text", text: result.text }]);
  const structured = isObject(value) ? `,"structuredContent":${result.text}` : "";
  return Payload.ofText(`{"content":${content}${structured}}`);
}

function isToolList({ value }: Payload): boolean {
  return isObject(value) && Array.isArray(value["tools"]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function noTools(source: string): ZaguanError {
  const params = { source, reason: "its answer is no list of tools" };
  return new ZaguanError("SOURCE_ERROR", { params, delivery: "executed" });
}
