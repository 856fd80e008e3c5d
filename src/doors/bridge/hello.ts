/**
 * Reads the body of `POST /mcp/initialize`: as seed 003 prints it, with its members at the top, or as MCP has it, in the
 * params of a JSON-RPC request.
 */
import { ZaguanError } from "../../errors.ts";
import { type Member, memberOf, type ScanLimits, scanJson } from "../../protocol/json/scan.ts";
import { memberString, memberText, scanError } from "../../protocol/json-rpc/message.ts";
import { SUPPORTED_VERSIONS } from "../../protocol/mcp/versions.ts";
import { BridgeRefusal, otherMethod } from "./refusal.ts";
import { METHODS } from "./request.ts";

interface Hello {
  /** The id's own JSON text. */
  readonly id: string;
  /** What the client says; throws if it cannot be understood. */
  wish(): SessionWish;
}

export interface SessionWish {
  readonly protocolVersion: string;
  /** Of the client's choosing. */
  readonly sessionId: string | undefined;
}

const METHOD = METHODS.initialize;
const SESSION_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Throws where there is no id to answer to. */
export function readHello(text: string, limits: ScanLimits): Hello {
  const scan = scanJson(text, limits);
  if (!scan.ok) throw scanError(scan);
  if (scan.kind !== "object") throw badRequest("a JSON object is expected");
  return { id: idIn(text, scan.members), wish: () => wishIn(text, scan.members) };
}

/** As in the seed's answer where the request has none. */
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
  return { protocolVersion: versionIn(text, members), sessionId: sessionIdIn(text, members) };
}

/** Only what is said must be right. */
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

/** Empty is what templates make of a value that they do not have. */
function sessionIdIn(text: string, members: readonly Member[]): string | undefined {
  const written = memberText(text, members, "session_id");
  if (written === undefined || written === '""') return undefined;
  const id = memberString(text, members, "session_id") ?? "";
  if (!SESSION_ID.test(id)) throw new BridgeRefusal("INVALID_PARAMS", "bridge.sessionIdForm");
  return id;
}

function badRequest(reason: string): ZaguanError {
  return new ZaguanError("BAD_REQUEST", { params: { reason } });
}
