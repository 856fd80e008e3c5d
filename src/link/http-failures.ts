/**
 * What went wrong with a link, over HTTP or before anything could be sent, in Zaguan's words: which error it is, and whether
 * the call can have run.
 */
import type { IncomingHttpHeaders } from "node:http";
import { answerTooLarge, withDelivery, ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import type { Obstacle } from "./ending.ts";
import type { Failure } from "./http-exchange.ts";
import { shownLocation } from "./http-redirect.ts";

/** The caller took the request back. */
export class Cancelled extends Error {}

/** The server stopped in the middle of an answer. */
export class Silent extends Error {}

/** All that mattered of an answer has come: what is left is not worth a socket. */
export class Enough extends Error {}

/** The server answered, but with this status: the cause of an error, for those who go by it. */
export class HttpStatus extends Error {
  readonly status: number;

  constructor(status: number, text?: string) {
    super(text ?? `HTTP ${status}`);
    this.status = status;
  }
}

/** The status that an error stands for; undefined if there was no answer, or a good one. */
export function statusOf(error: unknown): number | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof HttpStatus) return cause.status;
  }
  return undefined;
}

const OBSTACLES: Readonly<Record<string, Obstacle>> = {
  ECONNREFUSED: "refused",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
};

/** By the error or what caused it. */
export function obstacleOf(error: unknown): Obstacle | undefined {
  const status = statusOf(error);
  if (status === 401 || status === 403) return "credentials";
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const known = "code" in cause ? OBSTACLES[String(cause.code)] : undefined;
    if (known) return known;
  }
  return undefined;
}

/** The whole exchange took longer than it may. */
export class TooSlow extends Enough {
  readonly code: string = "ETIMEDOUT";

  constructor() {
    super("no time left");
  }
}

const A_DAY_MS = 86_400_000;

const CONNECT_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "host name not found",
  EAI_AGAIN: "the host name could not be resolved",
  ETIMEDOUT: "no connection in time",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  EHOSTUNREACH: "its host is unreachable",
  ENETUNREACH: "its network is unreachable",
  FORBIDDEN_ADDRESS: "its address is not allowed",
  OWN_ADDRESS: "its address is this hub's own",
  UND_ERR_INVALID_ARG: "its configured URL or headers are not valid",
};

/** HTTP status 508, by which hubs refuse each other. */
const IN_A_CIRCLE = "it leads back to this hub, or through too many hubs (HTTP 508)";

/** The error behind an exchange that broke. */
export function explainFailure(failure: Failure, source: string): ZaguanError {
  const { cause, written } = failure;
  const delivery = written ? "unknown" : "not_sent";
  if (cause instanceof ZaguanError) return cause.code === "TOO_LARGE" ? tooLarge(source, cause) : cause;
  if (cause instanceof Cancelled) return new ZaguanError("CANCELLED", { delivery, cause });
  if (written) return new ZaguanError("OUTCOME_UNKNOWN", { params: { source }, delivery, cause });
  return new ZaguanError("SOURCE_UNAVAILABLE", { params: { source, reason: connectReason(cause) }, delivery, cause });
}

/** The error a status means by itself; undefined where the body has to tell (the other 4xx). */
export function explainStatus(
  status: number,
  headers: IncomingHttpHeaders,
  source: string,
  sessionSent: boolean,
): ZaguanError | undefined {
  if (sessionSent && status === 404) return unknownSession(`HTTP ${status}`);
  if (status === 401 || status === 403) return refusedCredentials(source, status);
  if (status === 429 || status === 503) return overloaded(source, status, headers);
  if (status >= 400 && status < 500) return undefined;
  if (status === 508) return sourceError(source, IN_A_CIRCLE, new HttpStatus(status));
  const reason = status < 400 ? redirected(status, headers) : `HTTP ${status}`;
  return sourceError(source, reason, new HttpStatus(status));
}

function redirected(status: number, { location }: IncomingHttpHeaders): string {
  return `it redirects to ${shownLocation(location)} (HTTP ${status}), which is not followed`;
}

/**
 * A JSON-RPC error under a 4xx, of a revision that has words for what is wrong with a request. Those by which it refuses to
 * begin prove that nothing ran.
 */
export function relayedRefusal(source: string, status: number, error: RpcError): ZaguanError {
  return new ZaguanError("SOURCE_ERROR", {
    params: { source, reason: error.message },
    delivery: REFUSALS.has(error.code) ? "not_sent" : "executed",
    relayed: error,
    cause: new HttpStatus(status),
  });
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** No JSON, no request, unknown method, headers that differ from the body, a revision that is not spoken. */
const REFUSALS: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32020, -32022]);

/** The server does not know the session, so it did nothing with the request. */
export function unknownSession(why: string): ZaguanError {
  return new ZaguanError("UNKNOWN_SESSION", { delivery: "not_sent", cause: new Error(why) });
}

/** The request was received, but its answer is of no use. */
export function sourceError(source: string, reason: string, cause?: unknown): ZaguanError {
  return new ZaguanError("SOURCE_ERROR", { params: { source, reason }, delivery: "unknown", cause });
}

/** Nothing of any message has left. */
export function unavailable(source: string, reason: string, cause?: unknown, retryAfterMs?: number): ZaguanError {
  const params = { source, reason };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent", cause, retryAfterMs });
}

const UNTRUSTED = 'its certificate is not trusted; set "ca" to the file of its certificate authority';
const CERTIFICATE_REASONS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
};

/** Why nothing could be sent, without addresses, names or paths: those stay in the cause. */
export function connectReason(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const isTls = /TLS|SSL|CERT|SIGNED|ISSUER|EPROTO|SIGNATURE/.test(code);
  return CONNECT_REASONS[code] ?? (isTls ? "no secure connection (TLS)" : "no connection");
}

/** What is wrong with a certificate; undefined where the error is about something else. */
export function certificateReason(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause ? CERTIFICATE_REASONS[String(cause.code)] : undefined;
}

/** Asking again with the same credentials cannot help. */
function refusedCredentials(source: string, status: number): ZaguanError {
  const params = {
    source,
    reason: `it refused our credentials (HTTP ${status}): check the key or the headers that are set for it`,
  };
  return new ZaguanError("SOURCE_ERROR", { params, delivery: "not_sent", cause: new HttpStatus(status) });
}

/** A server, or a proxy before it, may say this of a call that ran: the status proves nothing. */
function overloaded(source: string, status: number, headers: IncomingHttpHeaders): ZaguanError {
  const params = { source, reason: `HTTP ${status}` };
  const details = { params, retryAfterMs: retryAfterMs(headers), cause: new HttpStatus(status) };
  return new ZaguanError("SOURCE_UNAVAILABLE", { ...details, delivery: "unknown" });
}

function tooLarge(source: string, { details: { params } }: ZaguanError): ZaguanError {
  return answerTooLarge(source, Number(params?.["bytes"]), Number(params?.["limit"]), "unknown");
}

/** Seconds or an HTTP date; undefined if it is neither. */
function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const value = String(headers["retry-after"] ?? "").trim();
  const ms = /^[0-9]+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), A_DAY_MS);
}

/** For a status by which a server opens no stream or socket; `instead` says what a good status without the thing asked for amounts to. */
export function refusedOpening(
  source: string,
  status: number,
  headers: IncomingHttpHeaders,
  instead: string,
): ZaguanError {
  if (status < 300) return unavailable(source, `${instead} (HTTP ${status})`);
  const error = explainStatus(status, headers, source, false);
  const reason = error?.details.params?.["reason"] ?? `HTTP ${status}`;
  return unavailable(source, String(reason), error, error?.details.retryAfterMs);
}

/** The reason of an abort where it is one of ours, else that it was cancelled; with the certainty that nothing left. */
export function givenUp(signal: CancelSignal): ZaguanError {
  const { reason } = signal;
  const error = reason instanceof ZaguanError ? reason : new ZaguanError("CANCELLED", { cause: reason });
  return withDelivery(error, "not_sent");
}
