/** An API's answer as the result of a tool: text, the same structured where it is a JSON object, or an image. */
import { STATUS_CODES } from "node:http";
import type { HttpReply } from "../../link/http-call.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { Redaction } from "../../security/redaction.ts";
import { type TextAnswer, textIn, typeOf } from "./answer-text.ts";
import { isFields } from "./arguments.ts";
import type { HttpMethod } from "./operation.ts";
import { retryAfterMs } from "./pace.ts";
import type { JsonAnswer } from "./pick.ts";
import { show, type Ways } from "./window.ts";

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
