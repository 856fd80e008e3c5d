/**
 * The contract of what MCP clients talk to: the whole catalogue (for an agent, what it is linked to) or one server under its
 * own names. Each era of MCP is one codec over it: it reads a request, asks the target, and words the answer.
 */
import type { Caller, CallOptions, NotificationSink, Principal, ToolDefinition } from "../../core/call.ts";
import type { CancelSignal } from "../../light-abort.ts";
import type { Language } from "../../messages/catalogue.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import type { RpcCall } from "../../protocol/json-rpc/message.ts";
import type { ServerFace } from "../../protocol/mcp/face.ts";
import type { ListStyle } from "./tool-pages.ts";

export type RpcRequest = RpcCall & { readonly id: string };

/** Who asks, and where what belongs to the request goes. */
export interface Asker {
  readonly principal: Principal;
  readonly language: Language;
  /** Aborted when the client left or cancelled. */
  readonly signal: CancelSignal;
  /** The client, if sources may know it and ask it back. */
  readonly caller?: Caller | undefined;
  readonly callOptions?: CallOptions | undefined;
  /** Takes messages that belong to this request, before its answer. */
  readonly notify: (message: string) => void;
}

export interface McpTarget {
  /** Sessions and suspended calls of one scope are unknown in every other: "", or the name of the server. */
  readonly scope: string;
  /** Whether a source's own errors go on as it wrote them. */
  readonly verbatim: boolean;
  /** What it says of itself, if that is known without waiting. Throws NOT_FOUND to those who may use nothing of it. */
  faceNow(by: Asker): ServerFace | undefined;
  face(by: Asker): Promise<ServerFace>;
  findTool(principal: Principal, name: string): ToolDefinition | undefined;
  listTools(call: RpcCall, by: Asker, style?: ListStyle): Promise<Payload>;
  callTool(call: RpcCall, by: Asker): Promise<Payload>;
  /** Every other request: prompts, resources, completion, tasks. Rejects with UNKNOWN_METHOD if nobody could answer it. */
  request(call: RpcCall, by: Asker): Promise<Payload>;
  /** `resources/subscribe`, with the params of the call. */
  subscribe(uri: string, call: RpcCall, by: Asker): Promise<Subscription>;
  /** A client with a session begins to stay; the returned function ends it. */
  join(caller: Caller, principal: Principal): () => void;
  /** Takes a client's notification. */
  notified(call: RpcCall, principal: Principal, caller: Caller | undefined): void;
  /** Tells of every notification that belongs to no single request; the returned function ends it. */
  watch(listener: NotificationSink): () => void;
}

export interface Subscription {
  /** What the source answered. */
  readonly result: Payload;
  end(): Promise<Payload>;
}
