/**
 * What comes to the bridge: the headers of seed 003 that name somebody or something (those that say how a call is wanted are
 * read in `rest/tool-call.ts`), JSON-RPC requests at paths that say the method already, and the body of `/mcp/initialize`.
 */
import { randomUUID } from "node:crypto";
import { ZaguanError } from "../../errors.ts";
import { type Member, memberOf, type ScanLimits, scanJson } from "../../protocol/json/scan.ts";
import { withMember } from "../../protocol/json/text-edit.ts";
import {
  memberString,
  memberText,
  type RpcCall,
  type RpcReject,
  readMessage,
  scanError,
} from "../../protocol/json-rpc/message.ts";
import { SUPPORTED_VERSIONS } from "../../protocol/mcp/versions.ts";
import type { Exchange } from "../door.ts";
import { BridgeRefusal, otherMethod } from "./reply.ts";

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

/** The body must not name another method. Without an id it is answered too, with id null: HTTP always wants an answer. */
export function readRequest(body: string, method: string, limits: ScanLimits): BridgeCall | RpcReject {
  const message = readMessage(body, limits);
  if (message.kind === "reject") return message;
  const { id = "null" } = message;
  if (message.kind === "answer") return { kind: "reject", id, error: badRequest("this is an answer, not a request") };
  if (message.method !== method) return { kind: "reject", id, error: wrongMethod(message.method, method) };
  return { ...message, id };
}

/** The same, for a body that may leave its method out. */
export function readWithoutMethod(body: string, method: string, limits: ScanLimits): BridgeCall | RpcReject {
  const request = readRequest(body, method, limits);
  if (request.kind !== "reject" || !lacksMethod(body, limits)) return request;
  return readRequest(withMember(body.trim(), "method", JSON.stringify(method)), method, limits);
}

/** True of an object with params that is neither a request nor an answer. */
function lacksMethod(body: string, limits: ScanLimits): boolean {
  const scan = scanJson(body, limits);
  if (!scan.ok || scan.kind !== "object") return false;
  const has = (key: string): boolean => memberOf(scan.members, key) !== undefined;
  return has("params") && !["method", "result", "error"].some(has);
}

/** Another path's method, or an unknown one. */
function wrongMethod(method: string, expected: string): ZaguanError {
  if (KNOWN.has(method)) return otherMethod(method, expected);
  return new ZaguanError("UNKNOWN_METHOD", { params: { method: method.slice(0, 100) } });
}

interface Hello {
  /** The id's own JSON text. */
  readonly id: string;
  /** What the client says; throws if it cannot be understood. */
  wish(): SessionWish;
}

export interface SessionWish {
  readonly protocolVersion: string;
  /** Where the client chose one itself. */
  readonly sessionId: string | undefined;
}

const METHOD = METHODS.initialize;
const SESSION_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Reads the body of `POST /mcp/initialize`: as seed 003 prints it, with its members at the top, or as MCP has it, in the
 * params of a JSON-RPC request. Throws where there is no id to answer to.
 */
export function readHello(text: string, limits: ScanLimits): Hello {
  const scan = scanJson(text, limits);
  if (!scan.ok) throw scanError(scan);
  if (scan.kind !== "object") throw badRequest("a JSON object is expected");
  return { id: idIn(text, scan.members), wish: () => wishIn(text, scan.members) };
}

/** The id is 1 where the request has none, as in the seed's example. */
function idIn(text: string, members: readonly Member[]): string {
  const id = memberOf(members, "id");
  if (!id) return "1";
  const written = text.slice(id.start, id.end);
  if (id.kind === "string" || id.kind === "number" || written === "null") return written;
  throw badRequest("id must be a string, a number or absent");
}

function wishIn(text: string, top: readonly Member[]): SessionWish {
  checkEnvelope(text, top);
  const params = memberOf(top, "params");
  const members = params?.kind === "object" && !memberOf(top, "protocolVersion") ? params.members : top;
  return { protocolVersion: versionIn(text, members), sessionId: wishedSessionId(text, members) };
}

/** `jsonrpc` and `method` may be left out, but must be right where they are given. */
function checkEnvelope(text: string, top: readonly Member[]): void {
  const version = memberText(text, top, "jsonrpc") ?? memberText(text, top, "Jsonrpc");
  if (version !== undefined && version !== '"2.0"') throw badRequest('"jsonrpc" must be "2.0"');
  const method = memberText(text, top, "method");
  if (method !== undefined && memberString(text, top, "method") !== METHOD) throw otherMethod(method, METHOD);
}

function versionIn(text: string, members: readonly Member[]): string {
  const version = memberString(text, members, "protocolVersion") ?? "";
  if (SUPPORTED_VERSIONS.includes(version)) return version;
  const data = { supported_versions: SUPPORTED_VERSIONS };
  throw new BridgeRefusal("UNSUPPORTED_VERSION", "bridge.invalidVersion", { data });
}

/** An empty id counts as none: templates write that for a value that they do not have. */
function wishedSessionId(text: string, members: readonly Member[]): string | undefined {
  const written = memberText(text, members, "session_id");
  if (written === undefined || written === '""') return undefined;
  const id = memberString(text, members, "session_id") ?? "";
  if (!SESSION_ID.test(id)) throw new BridgeRefusal("INVALID_PARAMS", "bridge.sessionIdForm");
  return id;
}

function badRequest(reason: string): ZaguanError {
  return new ZaguanError("BAD_REQUEST", { params: { reason } });
}

/** Printable ASCII, which can stand in a header, a log and a JSON text alike. */
const PRINTABLE = /^[\x20-\x7e]{1,128}$/;

/** The caller's own, or a new one, so that there is always something to look for in a log. */
export function requestIdIn(exchange: Exchange): string {
  return printable(exchange.header("x-request-id")) ?? `req-${randomUUID()}`;
}

export function clientIdIn(exchange: Exchange): string | undefined {
  return printable(exchange.header("x-client-id"));
}

/** Undefined where the header is absent; an empty one names an unknown session. */
export function sessionIdIn(exchange: Exchange): string | undefined {
  return exchange.header("x-session-id");
}

function printable(header: string | undefined): string | undefined {
  return header !== undefined && PRINTABLE.test(header) ? header : undefined;
}
