/** How every JSON-RPC door of the 2024 and 2025 revisions words a failure. */
import { toZaguanError, ZaguanError } from "../../errors.ts";
import { type Language, sayError } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** `data.code` is stable on every door, so that a client need not read numbers. */
export function rpcError(error: ZaguanError, language: Language): RpcError {
  const { relayed, data, delivery, retryAfterMs } = error.details;
  const shared: Record<string, unknown> = { code: error.code, ...data };
  if (delivery !== undefined) shared["delivery"] = delivery;
  if (retryAfterMs !== undefined) shared["retryAfterMs"] = Math.ceil(retryAfterMs);
  if (!relayed) return { code: error.row.rpc, message: textOf(error, language), data: shared };
  const source = error.details.params?.["source"];
  return {
    code: relayed.code,
    message: relayed.message,
    data: { ...shared, ...optional({ source, data: relayed.data }) },
  };
}

/** "Resource not found" in the official revisions, where nothing else may be told by it. */
const NO_SUCH_RESOURCE = -32002;

/** For a client with a handshake, unless it is bare: our own −32002 (its time is over) has its number of 2026 there. */
export function handshakeError(error: ZaguanError, language: Language, isBare: boolean): RpcError {
  const said = rpcError(error, language);
  const isTaken = error.row.rpc === NO_SUCH_RESOURCE && !error.details.relayed && !isBare;
  return isTaken ? { ...said, code: error.row.modern } : said;
}

export function textOf(error: ZaguanError, language: Language): string {
  return sayError(language, error);
}

/** A failure as a tool's own result, where the dialect wants the model to see it. */
export function errorResult(error: ZaguanError, language: Language): Payload {
  return Payload.ofValue({ content: [{ type: "text", text: textOf(error, language) }], isError: true });
}

/** Makes any cause tellable: what nobody expected gets a reference instead of its text. */
export function tellable(cause: unknown, report: (cause: unknown) => string): ZaguanError {
  const error = toZaguanError(cause);
  if (error.code !== "INTERNAL" || error.details.params) return error;
  const reference = report(error.cause ?? error);
  return new ZaguanError("INTERNAL", { ...error.details, params: { reference } });
}

/** Only the caller's own cancellation goes unanswered; if the hub ended the call, the caller is told. */
export function notByCaller(cause: unknown): unknown {
  if (!(cause instanceof ZaguanError) || cause.code !== "CANCELLED") return cause;
  const params = { source: "zaguan", reason: "it is closing" };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: cause.delivery ?? "unknown" });
}

export function unknownMethod(method: string): ZaguanError {
  return new ZaguanError("UNKNOWN_METHOD", { params: { method: method.slice(0, 100) } });
}

function optional(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
