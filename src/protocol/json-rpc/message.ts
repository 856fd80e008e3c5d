/**
 * JSON-RPC messages cut, not parsed: ids keep their spelling, params and results their characters. Pure.
 */
import { ZaguanError } from "../../errors.ts";
import { EMPTY_OBJECT, Payload } from "../json/payload.ts";
import { type Member, memberOf, type Scan, type ScanLimits, type ScanOptions, scanJson } from "../json/scan.ts";
import { findId } from "./broken-message.ts";

/** Of a request only params are looked into, of an answer nothing. */
const FROM_STRANGER = { refuseDuplicates: true, into: "params" };
const FROM_SOURCE = { refuseDuplicates: false, into: "params" };
const NO_MEMBERS: readonly Member[] = [];
const PLAIN_METHOD = /^[\w/]*$/;
const REQUEST_START = '{"jsonrpc":"2.0","id":';

/** A request (with an id) or a notification (without). */
export interface RpcCall {
  readonly kind: "call";
  /** The id's own JSON text; undefined for a notification. 0 and "" are ids like any other. */
  readonly id: string | undefined;
  readonly method: string;
  /** The text of `params`; `{}` if absent or null. */
  readonly params: Payload;
  /** Members of params when it is an object. */
  readonly members: readonly Member[];
  /** The whole message, to which the members' places refer. */
  readonly text: string;
}

export interface RpcAnswer {
  readonly kind: "answer";
  /** The whole message. */
  readonly text: string;
  readonly id: string;
  readonly result: Payload | undefined;
  readonly error: Payload | undefined;
}

/** What cannot be understood, with the id to answer to, if one could be read. */
export interface RpcReject {
  readonly kind: "reject";
  readonly id: string;
  readonly error: ZaguanError;
}

export type RpcMessage = RpcCall | RpcAnswer | RpcReject;

/** Reads one message from a stranger: strict on grammar and limits, lenient where real clients need it. */
export function readMessage(text: string, limits: ScanLimits): RpcMessage {
  return read(text, limits, FROM_STRANGER);
}

/** Reads one message from a source: the same, but duplicate keys pass, since nothing is decided by them. */
export function readSourceMessage(text: string, limits: ScanLimits): RpcMessage {
  return read(text, limits, FROM_SOURCE);
}

/** The text of one member, undefined if it is absent or null. */
export function memberText(text: string, members: readonly Member[], key: string): string | undefined {
  const member = memberOf(members, key);
  return member && !isNull(text, member) ? text.slice(member.start, member.end) : undefined;
}

/** A member that must be a string, decoded; undefined if it is anything else. */
export function memberString(text: string, members: readonly Member[], key: string): string | undefined {
  const member = memberOf(members, key);
  return member?.kind === "string" ? decoded(text, member) : undefined;
}

export function encodeResult(id: string, result: Payload): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result.text}}`;
}

/** What stands before and behind a result, where its text is at hand as bytes. */
export function resultAround(id: string): readonly [before: string, behind: string] {
  return [`{"jsonrpc":"2.0","id":${id},"result":`, "}"];
}

export function encodeError(id: string, error: { code: number; message: string; data?: unknown }): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`;
}

/** With an error that is text already. */
export function encodeErrorText(id: string, error: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${error}}`;
}

export function encodeRequest(id: number, method: string, params: string): string {
  return `${REQUEST_START}${id},"method":${quoted(method)},"params":${params}}`;
}

/** The id of a request that `encodeRequest` made; NaN of any other message. */
export function sentId(request: string): number {
  return request.startsWith(REQUEST_START) ? Number.parseInt(request.slice(REQUEST_START.length), 10) : Number.NaN;
}

export function encodeNotification(method: string, params?: string): string {
  const tail = params === undefined ? "" : `,"params":${params}`;
  return `{"jsonrpc":"2.0","method":${quoted(method)}${tail}}`;
}

/** Nearly every method needs no more than quotes. */
function quoted(method: string): string {
  return PLAIN_METHOD.test(method) ? `"${method}"` : JSON.stringify(method);
}

/** The refusal that belongs to a failed scan. */
export function scanError(scan: Extract<Scan, { ok: false }>): ZaguanError {
  return scan.problem === "syntax"
    ? new ZaguanError("BAD_JSON", { params: { reason: scan.reason } })
    : badRequest(scan.reason);
}

function read(text: string, limits: ScanLimits, options: ScanOptions): RpcMessage {
  const scan = scanJson(text, limits, options);
  if (!scan.ok) return reject(idOfRefused(text, scan, limits), scanError(scan));
  if (scan.kind !== "object") return reject("null", badRequest("a JSON object is expected"));
  return classify(text, scan.members);
}

function classify(text: string, members: readonly Member[]): RpcMessage {
  const id = readId(text, members);
  if (id === "invalid") return reject("null", badRequest("id must be a string, a number or absent"));
  if (!isVersion2(text, members)) return reject(id ?? "null", badRequest('"jsonrpc": "2.0" is missing'));
  const method = memberOf(members, "method");
  if (!method) return readAnswer(text, members, id);
  if (method.kind !== "string") return reject(id ?? "null", badRequest("method must be a string"));
  return readCall(text, members, id, decoded(text, method));
}

function readCall(text: string, members: readonly Member[], id: string | undefined, method: string): RpcMessage {
  const params = memberOf(members, "params");
  if (!params || isNull(text, params)) {
    return { kind: "call", id, method, params: EMPTY_OBJECT, members: NO_MEMBERS, text };
  }
  if (params.kind !== "object" && params.kind !== "array")
    return reject(id ?? "null", badRequest("params must be an object"));
  const payload = Payload.ofText(text.slice(params.start, params.end));
  return { kind: "call", id, method, params: payload, members: params.members, text };
}

function readAnswer(text: string, members: readonly Member[], id: string | undefined): RpcMessage {
  const result = memberOf(members, "result");
  const error = memberText(text, members, "error");
  if (!result && error === undefined) return reject(id ?? "null", badRequest("method is missing"));
  return {
    kind: "answer",
    text,
    id: id ?? "null",
    result: result && error === undefined ? Payload.ofText(text.slice(result.start, result.end)) : undefined,
    error: error === undefined ? undefined : Payload.ofText(error),
  };
}

/** `"Jsonrpc"` is how one real client spells it (seed 001's); no other spelling is taken. */
function isVersion2(text: string, members: readonly Member[]): boolean {
  const member = memberOf(members, "jsonrpc") ?? memberOf(members, "Jsonrpc");
  return member !== undefined && member.end - member.start === 5 && text.startsWith('"2.0"', member.start);
}

/** A null id is read as one: its sender gets an answer to it. */
function readId(text: string, members: readonly Member[]): string | undefined | "invalid" {
  const member = memberOf(members, "id");
  if (!member) return undefined;
  const legal = member.kind === "string" || member.kind === "number" || isNull(text, member);
  return legal ? text.slice(member.start, member.end) : "invalid";
}

/** What is too deep or too large may still be somebody's request; what is no JSON, or has two ids, is nobody's. */
function idOfRefused(text: string, scan: Extract<Scan, { ok: false }>, limits: ScanLimits): string {
  if (scan.problem === "syntax" || scan.key === "id") return "null";
  // A key is refused where it stands, before anybody knows whether the rest is JSON.
  const whole = scanJson(text, limits, FROM_SOURCE);
  return !whole.ok && whole.problem === "syntax" ? "null" : findId(text);
}

function decoded(text: string, { start, end, escaped }: Member): string {
  return escaped ? (JSON.parse(text.slice(start, end)) as string) : text.slice(start + 1, end - 1);
}

/** Of a member that was proved to be JSON the first letter says it. */
function isNull(text: string, member: Member): boolean {
  return member.kind === "literal" && text.charCodeAt(member.start) === 0x6e;
}

function badRequest(reason: string): ZaguanError {
  return new ZaguanError("BAD_REQUEST", { params: { reason } });
}

function reject(id: string, error: ZaguanError): RpcReject {
  return { kind: "reject", id, error };
}
