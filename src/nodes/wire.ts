/**
 * What a call looks like between two nodes. Payloads travel as the text that their sender wrote, inside of JSON. Nothing here is
 * checked again: the bus lets only nodes of the cluster speak.
 */
import type { Outcome } from "../cluster/messages.ts";
import type { Caller, Principal } from "../core/call.ts";
import { type ErrorArguments, type ErrorDetails, toZaguanError, ZaguanError } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { ServerFace } from "../protocol/mcp/face.ts";
import type { SourceRequest } from "../sources/source.ts";

/** What is asked of a source; its tools and what it says of itself are asked without waiting in its queue. */
export type Asked = "request" | "tools" | "face";

/** The same as a `SourceRequest`, as far as it can travel. */
export interface WireRequest {
  readonly asked: Asked;
  readonly method: string;
  readonly name: string;
  readonly args: string;
  readonly meta?: string | undefined;
  readonly params?: string | undefined;
  readonly language: SourceRequest["language"];
  readonly priority?: SourceRequest["priority"];
  /** Without its links: the node where the call came in has looked at them. */
  readonly principal?: Omit<Principal, "links"> | undefined;
  readonly caller?: WireCaller | undefined;
  /** Whether the client wants to hear of it. */
  readonly wantsProgress: boolean;
}

interface WireCaller {
  readonly identity: string;
  readonly canBeAsked: boolean;
  readonly capabilities: string;
  readonly info?: string | undefined;
  readonly comesAgain: boolean;
  readonly logLevel?: string | undefined;
}

export function encodeRequest(asked: Asked, request: SourceRequest, node: string): string {
  const { method, name, args, meta, params, language, priority, principal, caller } = request;
  const wire: WireRequest = {
    asked,
    method,
    name,
    args: args.text,
    meta: meta?.text,
    params: params?.text,
    language,
    priority,
    principal: principal && withoutLinks(principal),
    caller: caller && encodeCaller(caller, node),
    wantsProgress: request.onProgress !== undefined,
  };
  return JSON.stringify(wire);
}

function withoutLinks({ links: _, ...principal }: Principal): Omit<Principal, "links"> {
  return principal;
}

/** Identities are one node's own: those of two nodes must not be taken for the same client. */
export function identityAt(node: string, caller: Caller): string {
  return `${node}/${caller.identity}`;
}

function encodeCaller(caller: Caller, node: string): WireCaller {
  const { canBeAsked, capabilities, info, comesAgain, logLevel } = caller;
  const identity = identityAt(node, caller);
  return { identity, canBeAsked, capabilities: capabilities.text, info: info?.text, comesAgain, logLevel };
}

/** The client at the other node, as the source sees it. */
export function decodeCaller(wire: WireCaller, request: Caller["request"]): Caller {
  const { identity, canBeAsked, capabilities, info, comesAgain, logLevel } = wire;
  return {
    identity,
    canBeAsked,
    capabilities: Payload.ofText(capabilities),
    info: info === undefined ? undefined : Payload.ofText(info),
    comesAgain,
    logLevel,
    // The node of the client looks at the level of each.
    wantsLog: () => true,
    request,
  };
}

export function payload(text: string | undefined): Payload | undefined {
  return text === undefined ? undefined : Payload.ofText(text);
}

export function failed(cause: unknown): Outcome {
  const { code, details } = toZaguanError(cause);
  const { params, data, retryAfterMs, relayed, words } = details;
  const text = JSON.stringify({ params, data, retryAfterMs, relayed, words });
  return { kind: "error", code, delivery: details.delivery ?? "unknown", text };
}

/** @param source names the source in the text of an error that was made on the way */
export function errorOf({ code, delivery, text }: Extract<Outcome, { kind: "error" }>, source: string): ZaguanError {
  const details = (text === undefined ? {} : JSON.parse(text)) as ErrorDetails;
  const params = details.params ?? { source, seconds: 0, waiting: 0, reason: "it is not here at the moment" };
  return new ZaguanError(...([code, { ...details, params, delivery }] as ErrorArguments));
}

/** A notification, or a question, that belongs to one call. */
export function encodeSaid(method: string, params: Payload): string {
  return JSON.stringify([method, params.text]);
}

export function decodeSaid(text: string): readonly [method: string, params: Payload] {
  const [method, params] = JSON.parse(text) as [string, string];
  return [method, Payload.ofText(params)];
}

/** What the client answered to a question, or why it did not. */
export async function encodeAnswer(answer: Promise<Payload>): Promise<string> {
  try {
    return JSON.stringify({ kind: "result", text: (await answer).text } satisfies Outcome);
  } catch (cause) {
    return JSON.stringify(failed(cause));
  }
}

export async function decodeAnswer(text: string, source: string): Promise<Payload> {
  const outcome = JSON.parse(text) as Outcome;
  if (outcome.kind === "result") return Payload.ofText(outcome.text);
  throw errorOf(outcome, source);
}

export function encodeFace(face: ServerFace | undefined): Payload {
  if (!face) return Payload.ofValue(null);
  return Payload.ofValue({ ...face, greeting: face.greeting?.text, discovery: face.discovery?.text });
}

export function decodeFace({ value }: Payload): ServerFace | undefined {
  if (value === null) return undefined;
  const { greeting, discovery, ...face } = value as ServerFace & { greeting?: string; discovery?: string };
  return { ...face, greeting: payload(greeting), discovery: payload(discovery) };
}
