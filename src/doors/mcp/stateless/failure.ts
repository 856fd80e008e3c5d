/** How the door of the stateless revisions words a failure: in its own numbers, and with the HTTP status it asks for. */
import type { ErrorCode, ZaguanError } from "../../../errors.ts";
import type { Language } from "../../../messages/catalogue.ts";
import { type RpcError, rpcError } from "../failure.ts";

/** "No such resource" of the older revisions, which is an invalid parameter in this one. */
const OLD_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;
/** What a source may say in the range that JSON-RPC and MCP keep for themselves. */
const COMMON = [-32700, -32600, -32601, INVALID_PARAMS, -32603, -32021];
/** What a method answers when it was reached: official clients read an error's words under a good status alone. */
const IN_BAND: readonly ErrorCode[] = ["UNKNOWN_TOOL", "INVALID_PARAMS", "INTERNAL"];
/** What the revision wants told by the status too, even if it was the source that said it. */
const STATUS_OF_RELAYED: Readonly<Record<number, number>> = { [-32601]: 404, [-32021]: 400 };

/** `untouched` where a source's error is to arrive as it was sent, as far as this revision has its number. */
export function modernError(error: ZaguanError, language: Language, untouched = false): RpcError {
  const { relayed } = error.details;
  const worded = rpcError(error, language);
  if (!relayed) return { ...worded, code: error.row.modern };
  const { code, message, data } = relayed;
  if (mayPass(code)) return untouched ? { code, message, data } : worded;
  const ours = code === OLD_NOT_FOUND ? INVALID_PARAMS : error.row.modern;
  if (untouched && code === OLD_NOT_FOUND) return { code: ours, message, data };
  return { ...worded, code: ours, data: { ...(worded.data as object), sourceCode: code } };
}

/** Of an error that a method answers with. */
export function modernStatus(error: ZaguanError): number {
  const { relayed } = error.details;
  if (relayed) return STATUS_OF_RELAYED[relayed.code] ?? 200;
  return IN_BAND.includes(error.code) ? 200 : error.row.http;
}

function mayPass(code: number): boolean {
  return COMMON.includes(code) || code < -32768 || code > -32000;
}
