/** How the door of the stateless revisions words a failure: in its own numbers, and with the HTTP status it asks for. */
import type { ErrorCode, ZaguanError } from "../../../errors.ts";
import type { Language } from "../../../messages/catalogue.ts";
import { withMember } from "../../../protocol/json/text-edit.ts";
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

export function modernError(error: ZaguanError, language: Language): RpcError {
  const { relayed } = error.details;
  const worded = rpcError(error, language);
  if (!relayed) return { ...worded, code: error.row.modern };
  if (mayPass(relayed.code)) return worded;
  const code = relayed.code === OLD_NOT_FOUND ? INVALID_PARAMS : error.row.modern;
  return { ...worded, code, data: { ...(worded.data as object), sourceCode: relayed.code } };
}

/** A source's error as it was sent, as text, as far as this revision has its number; undefined if it has not. */
export function untouchedModernError({ details: { relayed } }: ZaguanError): string | undefined {
  if (!relayed) return undefined;
  const { code, message, data, text = JSON.stringify({ code, message, data }) } = relayed;
  if (mayPass(code)) return text;
  return code === OLD_NOT_FOUND ? withMember(text, "code", String(INVALID_PARAMS)) : undefined;
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
