/**
 * Which era a request belongs to, decided once and by its body: one that names its revision in `params._meta` is
 * stateless, whatever its headers; they are only checked against it, where the carrier has any. Pure.
 */
import { ZaguanError } from "../../errors.ts";
import { type Member, memberOf } from "../json/scan.ts";
import { memberString, type RpcCall, type RpcMessage } from "../json-rpc/message.ts";
import { CLIENT_CAPABILITIES, PROTOCOL_VERSION } from "./envelope.ts";
import { decodeHeader, mismatch, NAMED_BY, trimmed } from "./headers.ts";
import { isModernVersion, SUPPORTED_VERSIONS } from "./versions.ts";

export interface Inbound {
  /** Of HTTP; undefined on a carrier without headers, where the body says everything. */
  readonly method?: string | undefined;
  readonly versionHeader?: string | undefined;
  readonly methodHeader?: string | undefined;
  readonly nameHeader?: string | undefined;
  readonly message: RpcMessage;
}

export type Era =
  | { readonly era: "handshake" }
  | { readonly era: "modern"; readonly version: string; readonly call: RpcCall }
  | { readonly era: "reject"; readonly error: ZaguanError };

const HANDSHAKE: Era = { era: "handshake" };

export function classify(inbound: Inbound): Era {
  const { method = "POST", message } = inbound;
  if (method !== "POST") return HANDSHAKE;
  if (message.kind === "call") return classifyCall(inbound, message);
  if (!headerIsModern(inbound)) return HANDSHAKE;
  if (message.kind === "reject") return { era: "reject", error: message.error };
  const reason = "this revision asks its clients nothing, so that there is nothing to answer";
  return { era: "reject", error: new ZaguanError("BAD_REQUEST", { params: { reason } }) };
}

function classifyCall(inbound: Inbound, call: RpcCall): Era {
  const meta = memberOf(call.members, "_meta")?.members;
  if (meta && isClaim(call, meta)) return judge(inbound, call, meta);
  if (!headerIsModern(inbound)) return HANDSHAKE;
  if (call.id !== undefined) return { era: "reject", error: missingKey(PROTOCOL_VERSION) };
  const wrong = methodMismatch(inbound, call);
  return wrong ? { era: "reject", error: wrong } : modern(call, trimmed(inbound.versionHeader as string));
}

/** `initialize` begins a handshake, unless all of it says otherwise. */
function isClaim(call: RpcCall, meta: readonly Member[]): boolean {
  if (!memberOf(meta, PROTOCOL_VERSION)) return false;
  if (call.method !== "initialize") return true;
  return isModernVersion(memberString(call.text, meta, PROTOCOL_VERSION)) && hasCapabilities(meta);
}

function judge(inbound: Inbound, call: RpcCall, meta: readonly Member[]): Era {
  const version = memberString(call.text, meta, PROTOCOL_VERSION);
  if (version === undefined) return { era: "reject", error: missingKey(PROTOCOL_VERSION) };
  const error = versionProblem(inbound, version) ?? methodMismatch(inbound, call) ?? problem(inbound, call, meta);
  return error ? { era: "reject", error } : modern(call, version);
}

function versionProblem({ versionHeader }: Inbound, version: string): ZaguanError | undefined {
  if (versionHeader !== undefined && trimmed(versionHeader) !== version) return mismatch("MCP-Protocol-Version");
  if (isModernVersion(version)) return undefined;
  const requested = version.slice(0, 40);
  const data = { supported: SUPPORTED_VERSIONS, requested };
  return new ZaguanError("UNSUPPORTED_VERSION", { params: { version: requested }, data });
}

function methodMismatch({ methodHeader }: Inbound, call: RpcCall): ZaguanError | undefined {
  const differs = methodHeader !== undefined && trimmed(methodHeader) !== call.method;
  return differs ? mismatch("Mcp-Method") : undefined;
}

/** What is asked of requests and not of notifications. */
function problem(inbound: Inbound, call: RpcCall, meta: readonly Member[]): ZaguanError | undefined {
  if (call.id === undefined) return undefined;
  if (!hasCapabilities(meta)) return missingKey(CLIENT_CAPABILITIES);
  return inbound.method === undefined ? undefined : headerProblem(inbound, call);
}

function headerProblem(inbound: Inbound, call: RpcCall): ZaguanError | undefined {
  if (inbound.versionHeader === undefined) return mismatch("MCP-Protocol-Version");
  if (inbound.methodHeader === undefined) return mismatch("Mcp-Method");
  const key = NAMED_BY[call.method];
  const name = key === undefined ? undefined : memberString(call.text, call.members, key);
  // A request without the name itself is refused by its method, which can say what is missing.
  if (name === undefined) return undefined;
  const { nameHeader } = inbound;
  return nameHeader !== undefined && decodeHeader(nameHeader) === name ? undefined : mismatch("Mcp-Name");
}

function hasCapabilities(meta: readonly Member[]): boolean {
  return memberOf(meta, CLIENT_CAPABILITIES)?.kind === "object";
}

function headerIsModern({ versionHeader }: Inbound): boolean {
  return versionHeader !== undefined && isModernVersion(trimmed(versionHeader));
}

function missingKey(key: string): ZaguanError {
  const reason = `params._meta['${key}'] is missing or malformed`;
  return new ZaguanError("INVALID_PARAMS", { params: { reason }, data: { missing: key } });
}

function modern(call: RpcCall, version: string): Era {
  return { era: "modern", version, call };
}
