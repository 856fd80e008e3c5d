/** An API's answer as the result of a tool: text, the same structured where it is a JSON object, or an image. */
import { STATUS_CODES } from "node:http";
import type { HttpReply } from "../../link/http-call.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { type TextAnswer, textIn, typeOf } from "./answer-text.ts";
import { isFields } from "./arguments.ts";
import type { HttpMethod } from "./operation.ts";
import { retryAfterMs } from "./pace.ts";
import type { Redaction } from "./redact.ts";
import { show, type Ways } from "./window.ts";

/** All nodes that a JSONPath (RFC 9535) selects. Throws if it is none. */
export type Pick = (path: string, value: unknown) => readonly unknown[];

export interface Wanted {
  readonly method: HttpMethod;
  readonly maxChars: number;
  readonly ways: Ways;
  readonly offset: number;
  /** Of the answer, if it is JSON. */
  readonly pick: ((value: unknown) => readonly unknown[]) | undefined;
  readonly redaction: Redaction;
}

const EXCERPT = 2_000;

export function resultOf(reply: HttpReply, wanted: Wanted): Payload {
  if (reply.status >= 300) return failed(reply, wanted);
  if (wanted.method === "HEAD") return said(headText(reply, wanted.redaction));
  if (reply.bytes.length === 0) return said(`${statusText(reply.status)}, no content`);
  const media = mediaIn(reply);
  if (media) return Payload.ofValue({ content: [media] });
  const answer = textIn(reply, wanted.redaction);
  if (!answer) return said(`${statusText(reply.status)}: ${binaryText(reply)}, which cannot be shown`);
  return textResult(reply, picked(answer, wanted), wanted);
}

function picked(answer: TextAnswer, { pick }: Wanted): TextAnswer {
  if (!pick || !answer.json) return answer;
  const value = pick(answer.json.value);
  return { text: JSON.stringify(value, null, 2), json: { value } };
}

/** The structured form is as long as the text: where one is too long, so is the other. */
function textResult(reply: HttpReply, { text, json }: TextAnswer, wanted: Wanted): Payload {
  const { text: part, notice } = show(text, wanted.offset, wanted.maxChars, wanted.ways);
  const notices = [notice, reply.isCut ? "[the answer was longer than what is read of one]" : undefined];
  const whole = [part, ...notices.filter((line) => line !== undefined)];
  const content = JSON.stringify(whole.map((each) => ({ type: "text", text: each })));
  if (notice !== undefined || !json || !isFields(json.value)) return Payload.ofText(`{"content":${content}}`);
  return Payload.ofText(`{"content":${content},"structuredContent":${onOneLine(text)}}`);
}

/** As it was written, so that large numbers stay what they are; in JSON a line break is nothing, and many links end a message at one. */
function onOneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replace(/[\r\n]+/g, " ") : json;
}

function failed(reply: HttpReply, { redaction }: Wanted): Payload {
  const { status, headers } = reply;
  const answer = textIn(reply, redaction)?.text.trim() ?? binaryText(reply);
  const excerpt = show(answer, 0, EXCERPT, { offset: false, pick: false });
  const wait = retryAfterMs(headers["retry-after"]);
  const lines = [
    statusText(status),
    ...(status < 400 ? ["The API points to another place, where this request is not sent again."] : []),
    ...(wait === undefined ? [] : [`The API asks to be called again in ${Math.ceil(wait / 1_000)} s at the earliest.`]),
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

function binaryText(reply: HttpReply): string {
  return `${reply.bytes.length} bytes of ${/^[\w.+/-]{1,80}/.exec(typeOf(reply))?.[0] ?? "an unknown type"}`;
}

function statusText(status: number): string {
  return `HTTP ${status} ${STATUS_CODES[status] ?? ""}`.trim();
}

function said(text: string): Payload {
  return Payload.ofValue({ content: [{ type: "text", text }] });
}
