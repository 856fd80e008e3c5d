/** Answers that come compressed although we asked for none: some servers know nothing else. Their length stays bounded. */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { ZaguanError } from "../errors.ts";
import type { BareReply } from "./http-call-exchange.ts";

const DECODERS = new Map([
  ["gzip", promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(gunzip)],
  ["x-gzip", promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(gunzip)],
  ["deflate", promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(inflate)],
  ["br", promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(brotliDecompress)],
]);

export async function decodeBody(reply: BareReply, maxBytes: number, source: string): Promise<BareReply> {
  const encoding = String(reply.headers["content-encoding"] ?? "")
    .trim()
    .toLowerCase();
  if (encoding === "" || encoding === "identity" || reply.bytes.length === 0) return reply;
  const decode = DECODERS.get(encoding);
  if (!decode || reply.isCut) throw unreadable(source, "an answer compressed in a way that is not understood");
  try {
    return { ...reply, bytes: await decode(reply.bytes, { maxOutputLength: maxBytes }) };
  } catch (cause) {
    throw unreadable(source, `a compressed answer that is broken, or larger than ${maxBytes} bytes`, cause);
  }
}

/** It was answered, so it ran. */
function unreadable(source: string, reason: string, cause?: unknown): ZaguanError {
  return new ZaguanError("SOURCE_ERROR", { params: { source, reason }, delivery: "executed", cause });
}
