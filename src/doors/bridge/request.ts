/** Reads a JSON-RPC request at a path that says its method already: the body must not contradict it. */
import { ZaguanError } from "../../errors.ts";
import { memberOf, type ScanLimits, scanJson } from "../../protocol/json/scan.ts";
import { withMember } from "../../protocol/json/text-edit.ts";
import { type RpcCall, type RpcReject, readMessage } from "../../protocol/json-rpc/message.ts";
import { otherMethod } from "./refusal.ts";

export type BridgeCall = RpcCall & { readonly id: string };

/** Every method that has a path of its own. */
export const METHODS = {
  initialize: "initialize",
  listTools: "tools/list",
  callTool: "tools/call",
  listResources: "resources/list",
  readResource: "resources/read",
  listTemplates: "resources/templates/list",
  listPrompts: "prompts/list",
  getPrompt: "prompts/get",
} as const;

const KNOWN: ReadonlySet<string> = new Set(Object.values(METHODS));

/** Whoever waits for an HTTP answer wants one: a request without an id gets it with a null one. */
export function readRequest(body: string, method: string, limits: ScanLimits): BridgeCall | RpcReject {
  const message = readMessage(body, limits);
  if (message.kind === "reject") return message;
  const { id = "null" } = message;
  if (message.kind === "answer") return { kind: "reject", id, error: notARequest() };
  if (message.method !== method) return { kind: "reject", id, error: wrongMethod(message.method, method) };
  return { ...message, id };
}

/** The same where the path is enough. */
export function readWithoutMethod(body: string, method: string, limits: ScanLimits): BridgeCall | RpcReject {
  const request = readRequest(body, method, limits);
  if (request.kind !== "reject" || !lacksMethod(body, limits)) return request;
  return readRequest(withMember(body.trim(), "method", JSON.stringify(method)), method, limits);
}

/** And is no answer either, nor nothing at all. */
function lacksMethod(body: string, limits: ScanLimits): boolean {
  const scan = scanJson(body, limits);
  if (!scan.ok || scan.kind !== "object") return false;
  const has = (key: string): boolean => memberOf(scan.members, key) !== undefined;
  return has("params") && !["method", "result", "error"].some(has);
}

/** One that is at home elsewhere, or nowhere. */
function wrongMethod(method: string, expected: string): ZaguanError {
  if (KNOWN.has(method)) return otherMethod(method, expected);
  return new ZaguanError("UNKNOWN_METHOD", { params: { method: method.slice(0, 100) } });
}

function notARequest(): ZaguanError {
  return new ZaguanError("BAD_REQUEST", { params: { reason: "this is an answer, not a request" } });
}
