/**
 * What a request of a stateless revision says of itself in `params._meta`: which revision it speaks and what its client
 * can do. Pure.
 */
import { Payload } from "../json/payload.ts";
import { memberOf } from "../json/scan.ts";
import { withOnly } from "../json/text-edit.ts";
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

/** The rest of `_meta`, as it was written; undefined if nothing remains. */
export function metaBesideEnvelope(call: RpcCall): Payload | undefined {
  const meta = memberOf(call.members, "_meta");
  const members = meta?.members ?? [];
  const beside = members.filter(({ key }) => !ENVELOPE.has(key)).length;
  if (!meta || beside === 0) return undefined;
  if (beside === members.length) return Payload.ofText(call.text.slice(meta.start, meta.end));
  return Payload.ofText(withOnly(call.text, members, (key) => ENVELOPE.has(key)));
}
