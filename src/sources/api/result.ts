/** An API's answer as the result of a tool: text, the same structured where it is a JSON object, or an image. */
import { STATUS_CODES } from "node:http";
import { TextDecoder } from "node:util";
import type { HttpReply } from "../../link/http-call.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { Redaction } from "../../security/redaction.ts";
import { parseJson } from "../shared/json.ts";
import { isFields, type JsonAnswer } from "./arguments.ts";
import { isJson } from "./encode.ts";
import type { HttpMethod } from "./operation.ts";
import { retryAfterMs } from "./pace.ts";

export interface Wanted {
  readonly method: HttpMethod;
  readonly maxChars: number;
  readonly ways: Ways;
  readonly offset: number;
  /** Of the answer, if it is JSON. */
  readonly pick: ((answer: JsonAnswer) => string) | undefined;
  readonly redaction: Redaction;
  readonly language: Language;
}

const EXCERPT = 2_000;

export function resultOf(reply: HttpReply, wanted: Wanted): Payload {
  const { method, redaction, language } = wanted;
  if (reply.status >= 300) return failed(reply, wanted);
  if (method === "HEAD") return said(headText(reply, redaction));
  const status = statusText(reply.status);
  if (reply.bytes.length === 0) return said(say(language, "api.noContent", { status }));
  const media = mediaIn(reply);
  if (media) return Payload.ofValue({ content: [media] });
  const answer = textIn(reply, redaction);
  if (!answer) return said(say(language, "api.notShown", { status, what: binaryText(reply, language) }));
  return textResult(reply, picked(answer, wanted), wanted);
}

function picked(answer: TextAnswer, { pick }: Wanted): TextAnswer {
  return pick && answer.json ? { text: pick({ text: answer.text, value: answer.json.value }) } : answer;
}

/** The structured form is as long as the text: where one is too long, so is the other. */
function textResult(reply: HttpReply, { text, json }: TextAnswer, wanted: Wanted): Payload {
  const { offset, maxChars, ways, language } = wanted;
  const { text: part, notice } = show(text, offset, maxChars, ways, language);
  const notices = [notice, reply.isCut ? say(language, "api.readCut") : undefined];
  const whole = [part, ...notices.filter((line) => line !== undefined)];
  const content = JSON.stringify(whole.map((each) => ({ type: "text", text: each })));
  if (notice !== undefined || !json || !isFields(json.value)) return Payload.ofText(`{"content":${content}}`);
  return Payload.ofText(`{"content":${content},"structuredContent":${onOneLine(text)}}`);
}

/** As it was written, so that large numbers stay what they are; in JSON a line break is nothing, and many links end a message at one. */
function onOneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replace(/[\r\n]+/g, " ") : json;
}

function failed(reply: HttpReply, { redaction, language }: Wanted): Payload {
  const { status, headers } = reply;
  const answer = textIn(reply, redaction)?.text.trim() ?? binaryText(reply, language);
  const excerpt = show(answer, 0, EXCERPT, { offset: false, pick: false }, language);
  const wait = retryAfterMs(headers["retry-after"]);
  const seconds = Math.ceil((wait ?? 0) / 1_000);
  const lines = [
    statusText(status),
    ...(status < 400 ? [say(language, "api.elsewhere")] : []),
    ...(wait === undefined ? [] : [say(language, "api.askedToWait", { seconds })]),
    ...[excerpt.text, excerpt.notice ?? ""].filter((line) => line !== ""),
  ];
  return Payload.ofValue({ content: [{ type: "text", text: lines.join("\n") }], isError: true });
}

function mediaIn(reply: HttpReply) {
  const [mimeType = ""] = typeOf(reply).toLowerCase().split(";", 1);
  const [, type] = /^(image|audio)\/(?!svg)[\w.+-]+$/.exec(mimeType.trim()) ?? [];
  if (type === undefined || reply.isCut) return undefined;
  return { type, data: Buffer.from(reply.bytes).toString("base64"), mimeType: mimeType.trim() };
}

function headText({ status, headers }: HttpReply, redaction: Redaction): string {
  const shown = Object.entries(headers).filter(([name]) => name !== "set-cookie");
  return redaction.text([statusText(status), ...shown.map(([name, value]) => `${name}: ${value}`)].join("\n"));
}

function binaryText(reply: HttpReply, language: Language): string {
  const count = reply.bytes.length;
  const type = /^[\w.+/-]{1,80}/.exec(typeOf(reply))?.[0];
  return type === undefined ? say(language, "api.bytes", { count }) : say(language, "api.bytesOf", { count, type });
}

function statusText(status: number): string {
  return `HTTP ${status} ${STATUS_CODES[status] ?? ""}`.trim();
}

function said(text: string): Payload {
  return Payload.ofValue({ content: [{ type: "text", text }] });
}

interface TextAnswer {
  readonly text: string;
  /** Absent where the text is no JSON. */
  readonly json?: { readonly value: unknown };
}

/** The answer as text, decoded as it says, and without our secrets; undefined for what is no text. */
function textIn(reply: HttpReply, redaction: Redaction): TextAnswer | undefined {
  const type = typeOf(reply);
  const text = decoded(reply);
  if (text === undefined) return undefined;
  const clean = mayBeJson(type, text) && !reply.isCut ? redaction.json(text) : undefined;
  const value = clean === undefined ? undefined : parseJson(clean);
  return clean === undefined || value === undefined ? { text: redaction.text(text) } : { text: clean, json: { value } };
}

function typeOf({ headers }: HttpReply): string {
  return String(headers["content-type"] ?? "").trim();
}

function decoded(reply: HttpReply): string | undefined {
  const charset = /;\s*charset="?([\w.:-]+)/i.exec(typeOf(reply))?.[1] ?? "utf-8";
  try {
    // What was cut may end in the middle of a character.
    const text = decoderOf(charset).decode(reply.bytes, { stream: reply.isCut });
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return new TextDecoder("utf-8", { fatal: true });
  }
}

/** Some send it as plain text, or as nothing in particular. */
function mayBeJson(type: string, text: string): boolean {
  return (
    isJson(type) || (/^(?:text\/(?:plain|javascript)|application\/octet-stream|$)/i.test(type) && /^\s*[[{]/.test(text))
  );
}

export interface Ways {
  /** Whether `_offset` and `_pick` can be given to the tool that is answered. */
  readonly offset: boolean;
  readonly pick: boolean;
}

interface Shown {
  readonly text: string;
  readonly notice: string | undefined;
}

/** The part of a long text that is shown, and what is said of the rest. */
export function show(text: string, offset: number, most: number, ways: Ways, language: Language = "en"): Shown {
  const from = onCharacter(text, Math.min(offset, text.length));
  if (from === 0 && text.length <= most) return { text, notice: undefined };
  const cut = onCharacter(text, from + most);
  const to = cut > from ? cut : Math.min(text.length, from + Math.max(most, 2));
  return { text: text.slice(from, to), notice: noticeOf(from, to, text.length, ways, language) };
}

function noticeOf(from: number, to: number, length: number, ways: Ways, language: Language): string {
  const where = { from, to, length };
  if (to === length) return say(language, "api.partEnd", where);
  const next = ways.offset ? [say(language, "api.wayOffset", { to })] : [];
  const pick = ways.pick ? [say(language, "api.wayPick")] : [];
  const [one, other] = [...next, ...pick];
  if (one === undefined) return say(language, "api.partCut", where);
  const both = other === undefined ? one : say(language, "api.wayBoth", { one, other });
  return say(language, "api.partNext", { ...where, ways: both });
}

/** Not between the two halves of one. */
function onCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : Math.min(at, text.length);
}
