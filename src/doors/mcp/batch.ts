/** Batches, which only revision 2025-03-26 knows: several messages in one array, answered in one array. */
import { ZaguanError } from "../../errors.ts";
import { splitJsonArray } from "../../protocol/framing/json-array.ts";
import { type ScanLimits, scanJson } from "../../protocol/json/scan.ts";
import { type RpcMessage, readMessage, scanError } from "../../protocol/json-rpc/message.ts";

export const BATCH_VERSION = "2025-03-26";
const MAX_MESSAGES = 20;

export function isBatch(body: string): boolean {
  return body.trimStart().startsWith("[");
}

/** The messages of a batch; the limits hold for the whole. Throws a ZaguanError if it is none or too long. */
export function readBatch(body: string, limits: ScanLimits): readonly RpcMessage[] {
  const scan = scanJson(body, limits);
  if (!scan.ok) throw scanError(scan);
  const texts = splitJsonArray(body) ?? [];
  if (texts.length === 0) throw badRequest("a batch must not be empty");
  if (texts.length > MAX_MESSAGES) throw badRequest(`a batch holds at most ${MAX_MESSAGES} messages`);
  return texts.map((text) => readMessage(text, limits));
}

/** Told to those whose revision has no batches. */
export function noBatches(): ZaguanError {
  return badRequest(`a JSON object is expected; batches exist in revision ${BATCH_VERSION} only`);
}

function badRequest(reason: string): ZaguanError {
  return new ZaguanError("BAD_REQUEST", { params: { reason } });
}
