/**
 * What a request of ours to a server says of its client in `params._meta`, put in and taken out as text: everything else
 * stays as it was written. Pure.
 */
import { memberOf } from "../json/scan.ts";
import { membersOf, withMember, withMembers, withoutMembers } from "../json/surgery.ts";
import { memberString } from "../json-rpc/message.ts";
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION } from "./envelope.ts";

/** A client, as JSON texts. */
export interface Introduction {
  readonly version: string;
  readonly capabilities: string;
  readonly info: string;
  readonly logLevel?: string | undefined;
}

const KEYS: ReadonlySet<string> = new Set([PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL]);
/** Written plainly, or hidden behind an escape. */
const MAY_HAVE_ENVELOPE = /io\.modelcontextprotocol\/|\\/;

/** The revision that the params name by themselves. */
export function revisionIn(params: string): string | undefined {
  const meta = MAY_HAVE_ENVELOPE.test(params) ? memberOf(membersOf(params), "_meta") : undefined;
  return meta && memberString(params, meta.members, PROTOCOL_VERSION);
}

export function withEnvelope(params: string, client: Introduction): string {
  const { version, capabilities, info, logLevel } = client;
  const texts = [
    [PROTOCOL_VERSION, JSON.stringify(version)],
    [CLIENT_CAPABILITIES, capabilities],
    [CLIENT_INFO, info],
    ...(logLevel === undefined ? [] : [[LOG_LEVEL, JSON.stringify(logLevel)]]),
  ];
  const envelope = texts.map(([key, text]) => `"${key}":${text}`).join(",");
  const rest = withoutMembers(metaText(params) ?? "{}", (key) => KEYS.has(key));
  return withMember(params, "_meta", withMembers(rest, envelope));
}

/** A `_meta` of which nothing is left goes with it. */
export function withoutEnvelope(params: string): string {
  if (!MAY_HAVE_ENVELOPE.test(params)) return params;
  const meta = metaText(params);
  return meta === undefined ? params : withMeta(params, meta, (key) => KEYS.has(key));
}

/** The params, with a `_meta` that lacks these members; without one if it had no other. */
export function withoutMeta(params: string, isDropped: (key: string) => boolean): string {
  const meta = metaText(params);
  return meta === undefined ? params : withMeta(params, meta, isDropped);
}

function withMeta(params: string, meta: string, isDropped: (key: string) => boolean): string {
  const rest = withoutMembers(meta, isDropped);
  if (rest === meta) return params;
  return rest === "{}" ? withoutMembers(params, (key) => key === "_meta") : withMember(params, "_meta", rest);
}

function metaText(params: string): string | undefined {
  const meta = memberOf(membersOf(params), "_meta");
  return meta?.kind === "object" ? params.slice(meta.start, meta.end) : undefined;
}
