/**
 * What a request of a stateless revision says of itself in `params._meta`: which revision it speaks and what its client
 * can do. Pure.
 */
import { Payload } from "../json/payload.ts";
import { memberOf } from "../json/scan.ts";
import { withOnly } from "../json/surgery.ts";
import type { RpcCall } from "../json-rpc/message.ts";

export const PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
export const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
export const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
export const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
export const SERVER_INFO = "io.modelcontextprotocol/serverInfo";
/** Of our own: in a result that says what was wrong with the arguments, without having reached the tool. */
export const REFUSED_BY_HUB = "zaguan/refused";
export const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

/** They speak of this request and its client, and end here: towards a source we are the client. */
const ENVELOPE: ReadonlySet<string> = new Set([PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL]);

export type Meta = Readonly<Record<string, unknown>>;

export const EMPTY_META: Meta = Object.freeze({});

/** `params._meta`, if it is an object. */
export function metaOf(call: RpcCall): Meta | undefined {
  const text = metaText(call);
  return text === undefined ? undefined : (JSON.parse(text) as Meta);
}

/** The rest of `_meta`, as it was written; undefined if nothing remains. */
export function metaBesideEnvelope(call: RpcCall): Payload | undefined {
  const members = memberOf(call.members, "_meta")?.members ?? [];
  const isBeside = members.some(({ key }) => !ENVELOPE.has(key));
  return isBeside ? Payload.ofText(withOnly(call.text, members, (key) => ENVELOPE.has(key))) : undefined;
}

function metaText(call: RpcCall): string | undefined {
  const member = memberOf(call.members, "_meta");
  return member?.kind === "object" ? call.text.slice(member.start, member.end) : undefined;
}
