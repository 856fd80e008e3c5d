/**
 * What a request of a stateless revision says of itself in `params._meta`: which revision it speaks, and what its client can
 * do. Read, put in and taken out as text: everything else stays as it was written. Pure.
 */
import { Payload } from "../json/payload.ts";
import { type Member, memberOf } from "../json/scan.ts";
import { hasEscapedLetters, membersOf, withMemberAt, withMembers, withOnly } from "../json/text-edit.ts";
import { memberString, type RpcCall } from "../json-rpc/message.ts";

export const PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
export const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
export const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
export const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
export const SERVER_INFO = "io.modelcontextprotocol/serverInfo";
/** Of our own: in a result that says what was wrong with the arguments, without having reached the tool. */
export const REFUSED_BY_HUB = "zaguan/refused";
export const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

/** These members speak of this request and its client. They are not passed on: towards a source we are the client. */
const ENVELOPE: ReadonlySet<string> = new Set([PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL]);

/** The rest of `_meta`, as it was written; undefined if nothing remains. */
export function metaBesideEnvelope(call: RpcCall): Payload | undefined {
  const meta = memberOf(call.members, "_meta");
  const members = meta?.members ?? [];
  const beside = members.filter(({ key }) => !isOfEnvelope(key)).length;
  if (!meta || beside === 0) return undefined;
  if (beside === members.length) return Payload.ofText(call.text.slice(meta.start, meta.end));
  return Payload.ofText(withOnly(call.text, members, isOfEnvelope));
}

/** What a request of ours to a server says of its client, as JSON texts. */
export interface Introduction {
  readonly version: string;
  readonly capabilities: string;
  readonly info: string;
  readonly logLevel?: string | undefined;
}

const PREFIX = "io.modelcontextprotocol";
/** In a long text the engine finds the quote sooner than a letter; in a short one there are more quotes. */
const QUOTED_PREFIX = `"${PREFIX}`;
const SHORT = 1024;

/** The revision that the params name by themselves. */
export function revisionIn(params: string): string | undefined {
  if (!mayHaveEnvelope(params)) return undefined;
  const last = lastMeta(params);
  if (last !== undefined && last === lately.meta) return lately.revision;
  const members = membersOf(last ?? "");
  if (members.length > 0) {
    const revision = memberString(last ?? "", members, PROTOCOL_VERSION);
    if (params.length <= LONGEST_KEPT) lately = { meta: last, revision };
    return revision;
  }
  const meta = memberOf(membersOf(params), "_meta");
  return meta && memberString(params, meta.members, PROTOCOL_VERSION);
}

/** What is cut from a text keeps all of it in memory. */
const LONGEST_KEPT = 4_096;
/** The `_meta` read last: clients send the same with every request. */
let lately: { readonly meta?: string | undefined; readonly revision?: string | undefined } = {};

const LAST_META = ',"_meta":{';

/**
 * The text of `_meta` if that is the last member, as most clients write it, so that arguments need not be scanned. The
 * quote behind the comma can only begin a key; what is one whole object up to the last brace of the params is a member of
 * theirs. Of anything else it is no JSON.
 */
function lastMeta(params: string): string | undefined {
  const at = params.lastIndexOf(LAST_META);
  return at < 0 ? undefined : params.slice(at + LAST_META.length - 1, -1);
}

export function withEnvelope(params: string, client: Introduction): string {
  const meta = memberOf(membersOf(params), "_meta");
  const rest = meta?.kind === "object" ? without(params, meta, isOfEnvelope) : "{}";
  return withMemberAt(params, meta, "_meta", withMembers(rest, envelopeOf(client)));
}

/** A `_meta` of which nothing is left goes with it. */
export function withoutEnvelope(params: string): string {
  return mayHaveEnvelope(params) ? withoutMeta(params, isOfEnvelope) : params;
}

/** The params, with a `_meta` that lacks these members; without one if it had no other. */
export function withoutMeta(params: string, isDropped: (key: string) => boolean): string {
  const members = membersOf(params);
  const meta = memberOf(members, "_meta");
  if (!meta?.members.some(({ key }) => isDropped(key))) return params;
  if (meta.members.every(({ key }) => isDropped(key))) return withOnly(params, members, (key) => key === "_meta");
  return withMemberAt(params, meta, "_meta", withOnly(params, meta.members, isDropped));
}

/** The text of `_meta` without these members: its own if it has none of them. */
function without(params: string, meta: Member, isDropped: (key: string) => boolean): string {
  const hasSome = meta.members.some(({ key }) => isDropped(key));
  return hasSome ? withOnly(params, meta.members, isDropped) : params.slice(meta.start, meta.end);
}

function envelopeOf({ version, capabilities, info, logLevel }: Introduction): string {
  const level = logLevel === undefined ? "" : `,"${LOG_LEVEL}":${JSON.stringify(logLevel)}`;
  const who = `"${CLIENT_CAPABILITIES}":${capabilities},"${CLIENT_INFO}":${info}`;
  return `"${PROTOCOL_VERSION}":${JSON.stringify(version)},${who}${level}`;
}

function isOfEnvelope(key: string): boolean {
  return ENVELOPE.has(key);
}

/** The slash behind it may be escaped as well. */
function mayHaveEnvelope(params: string): boolean {
  return params.includes(params.length < SHORT ? PREFIX : QUOTED_PREFIX) || hasEscapedLetters(params);
}
