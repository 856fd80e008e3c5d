/**
 * What a request of a stateless revision says of itself in `params._meta`: which revision it speaks and what its client
 * can do. Pure.
 */
import { Payload } from "../json/payload.ts";
import { memberOf, scanJson } from "../json/scan.ts";
import type { RpcCall } from "../json-rpc/message.ts";

export const PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
export const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
export const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
export const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
export const SERVER_INFO = "io.modelcontextprotocol/serverInfo";
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
  const text = metaText(call);
  // The text was proved within the caller's limits when the message was read.
  const scan = text === undefined ? undefined : scanJson(text, NO_LIMITS);
  if (text === undefined || !scan?.ok) return undefined;
  const rest = scan.members.filter(({ key }) => !ENVELOPE.has(key));
  if (rest.length === 0) return undefined;
  const members = rest.map(({ key, start, end }) => `${JSON.stringify(key)}:${text.slice(start, end)}`);
  return Payload.ofText(`{${members.join(",")}}`);
}

const NO_LIMITS = { depth: Number.POSITIVE_INFINITY, elements: Number.POSITIVE_INFINITY };

function metaText(call: RpcCall): string | undefined {
  const member = memberOf(call.members, "_meta");
  return member?.kind === "object" ? call.text.slice(member.start, member.end) : undefined;
}
