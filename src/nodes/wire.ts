/**
 * The encoding of forwarded calls between two nodes. Payloads travel as the text that their sender wrote, as strings inside JSON.
 * Nothing is validated again: the bus accepts messages of the cluster's nodes only.
 */
import type { Outcome } from "../cluster/messages.ts";
import type { Caller, Principal } from "../core/call.ts";
import { type ErrorArguments, type ErrorDetails, toZaguanError, ZaguanError } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { ServerFace } from "../protocol/mcp/face.ts";
import type { SourceRequest } from "../sources/source.ts";

/** What is requested of a source. Its tool list and its MCP description ("face") are requested without waiting in its queue. */
export type RequestKind = "request" | "tools" | "face";

/** The parts of a `SourceRequest` that can be sent to another node. */
export interface WireRequest {
  readonly asked: RequestKind;
  readonly method: string;
  readonly name: string;
  readonly args: string;
  readonly meta?: string | undefined;
  readonly params?: string | undefined;
  readonly language: SourceRequest["language"];
  readonly priority?: SourceRequest["priority"];
  /** Without its links, which the entry node has already applied. */
  readonly principal?: Omit<Principal, "links"> | undefined;
  readonly caller?: WireCaller | undefined;
  /** Whether the client wants progress notifications. */
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

export function encodeRequest(kind: RequestKind, request: SourceRequest, node: string): string {
  const { method, name, args, meta, params, language, priority, principal, caller } = request;
  const wire: WireRequest = {
    asked: kind,
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

/** The identity of a client with its node: identities are unique within one node only. */
export function identityAt(node: string, caller: Caller): string {
  return `${node}/${caller.identity}`;
}

function encodeCaller(caller: Caller, node: string): WireCaller {
  const { canBeAsked, capabilities, info, comesAgain, logLevel } = caller;
  const identity = identityAt(node, caller);
  return { identity, canBeAsked, capabilities: capabilities.text, info: info?.text, comesAgain, logLevel };
}

/** The client at the other node, as a `Caller` for the source. */
export function decodeCaller(wire: WireCaller, request: Caller["request"]): Caller {
  const { identity, canBeAsked, capabilities, info, comesAgain, logLevel } = wire;
  return {
    identity,
    canBeAsked,
    capabilities: Payload.ofText(capabilities),
    info: info === undefined ? undefined : Payload.ofText(info),
    comesAgain,
    logLevel,
    // The client's node filters messages by level.
    wantsLog: () => true,
    request,
  };
}

export function payload(text: string | undefined): Payload | undefined {
  return text === undefined ? undefined : Payload.ofText(text);
}

export function toOutcome(cause: unknown): Outcome {
  const { code, details } = toZaguanError(cause);
  const { params, data, retryAfterMs, relayed, words } = details;
  const text = JSON.stringify({ params, data, retryAfterMs, relayed, words });
  return { kind: "error", code, delivery: details.delivery ?? "unknown", text };
}

/** @param source the name for the text of an error that a node created without the details of the source */
export function errorOf({ code, delivery, text }: Extract<Outcome, { kind: "error" }>, source: string): ZaguanError {
  const details = (text === undefined ? {} : JSON.parse(text)) as ErrorDetails;
  const params = details.params ?? { source, seconds: 0, waiting: 0, reason: "it is not here at the moment" };
  return new ZaguanError(...([code, { ...details, params, delivery }] as ErrorArguments));
}

/** A notification or a question that belongs to one call. */
export function encodeMessage(method: string, params: Payload): string {
  return JSON.stringify([method, params.text]);
}

export function decodeMessage(text: string): readonly [method: string, params: Payload] {
  const [method, params] = JSON.parse(text) as [string, string];
  return [method, Payload.ofText(params)];
}

/** The client's answer to a question, or the error in its place. */
export async function encodeAnswer(answer: Promise<Payload>): Promise<string> {
  try {
    return JSON.stringify({ kind: "result", text: (await answer).text } satisfies Outcome);
  } catch (cause) {
    return JSON.stringify(toOutcome(cause));
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
