/**
 * Pictures that abilities take, and the vision service that is asked what is to be seen in one, in the way xiaozhi
 * devices do: one multipart POST with the question and the file, and a small JSON answer. For callers that cannot look
 * at pictures themselves.
 */
import { randomUUID } from "node:crypto";
import { HttpCaller, type HttpReply } from "../../link/http-call.ts";
import { say } from "../../messages/catalogue.ts";
import { secretsIn } from "../../security/entry-secrets.ts";
import { Redaction } from "../../security/redaction.ts";
import type { Content, HandlerContext } from "../../user-tools/tool.ts";
import { reasonOf } from "./programs.ts";

export interface Picture {
  readonly bytes: Buffer;
  readonly mimeType: "image/png" | "image/jpeg";
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PNG_END = Buffer.from("IEND");
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

/** Undefined for what is no picture, or only the beginning of one. */
export function pictureIn(bytes: Buffer): Picture | undefined {
  if (startsWith(bytes, JPEG)) return { bytes, mimeType: "image/jpeg" };
  // The last chunk is its empty end, and four bytes of a checksum.
  const isWhole = startsWith(bytes, PNG) && bytes.length > 32 && bytes.subarray(-8, -4).equals(PNG_END);
  return isWhole ? { bytes, mimeType: "image/png" } : undefined;
}

/** A PNG says its size in its first chunk. */
export function sizeOfPng({ bytes }: Picture): { readonly width: number; readonly height: number } {
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

export function imageContent({ bytes, mimeType }: Picture): Content {
  return { type: "image", data: bytes.toString("base64"), mimeType };
}

function startsWith(bytes: Buffer, head: Buffer): boolean {
  return bytes.subarray(0, head.length).equals(head);
}

export interface VisionSettings {
  readonly url: string;
  readonly token?: string | undefined;
  /** Services that gave the token to one device want to see its name. */
  readonly deviceId?: string | undefined;
  readonly clientId?: string | undefined;
}

const LIMIT_MS = 30_000;
const MAX_BYTES = 65_536;

export class Vision {
  readonly #settings: VisionSettings;
  /** The owner wrote the address, and it is mostly in the house. */
  readonly #caller = new HttpCaller({ name: "vision", allowPrivate: true });

  constructor(settings: VisionSettings) {
    this.#settings = settings;
  }

  /** The answer first, for those who read one text only; then the picture, which is there whatever became of the question. */
  async contents(picture: Picture, question: string, call: HandlerContext): Promise<readonly Content[]> {
    const text = await this.#explain(picture, question, call).catch((error: unknown) =>
      say(call.language, "ability.vision.failed", { reason: reasonOf(error) }),
    );
    return [{ type: "text", text }, imageContent(picture)];
  }

  close(): Promise<void> {
    return this.#caller.close();
  }

  async #explain(picture: Picture, question: string, { signal }: HandlerContext): Promise<string> {
    const { url, token, deviceId, clientId } = this.#settings;
    const boundary = `zaguan-${randomUUID()}`;
    const headers = {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(deviceId && { "device-id": deviceId }),
      ...(clientId && { "client-id": clientId }),
    };
    const body = multipart(boundary, question, picture);
    const request = {
      method: "POST",
      url,
      headers,
      body,
      follow: false,
      limitMs: LIMIT_MS,
      maxBytes: MAX_BYTES,
    } as const;
    return answerIn(await this.#caller.call({ ...request, signal }), new Redaction(secretsIn({ url, headers })));
  }
}

function multipart(boundary: string, question: string, { bytes, mimeType }: Picture): Buffer {
  const name = mimeType === "image/png" ? "camera.png" : "camera.jpg";
  const part = (disposition: string): string => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
  return Buffer.concat([
    Buffer.from(`${part('name="question"')}\r\n${question}\r\n`),
    Buffer.from(`${part(`name="file"; filename="${name}"`)}Content-Type: ${mimeType}\r\n\r\n`),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

/** `{success, response}` or `{success: false, message}`; what is neither is taken as it is, as devices do. */
function answerIn({ status, bytes }: HttpReply, redaction: Redaction): string {
  const text = redaction.json(new TextDecoder().decode(bytes));
  const answer = objectIn(text);
  if (status !== 200 || answer?.["success"] === false) throw new Error(String(answer?.["message"] ?? `HTTP ${status}`));
  return typeof answer?.["response"] === "string" ? answer["response"] : text;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
