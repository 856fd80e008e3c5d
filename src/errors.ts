/**
 * Every failure Zaguan knows, as one table: the JSON-RPC number for the bridge and the legacy doors, the number for the
 * 2026-07-28 door, the HTTP status, and whether trying again can help. Doors translate; nobody invents a code elsewhere.
 * `docs/errors.md` shows the same table and a test compares the two. This file imports nothing.
 */

export interface ErrorRow {
  /** JSON-RPC code on the bridge, bare JSON-RPC and every 2024–2025 door (which has `modern` instead of −32002). */
  readonly rpc: number;
  /** JSON-RPC code on the 2026-07-28 door, where −32000…−32019 may not be used. */
  readonly modern: number;
  readonly http: number;
  /** True where the same request may succeed later, unchanged. */
  readonly retryable: boolean;
  /** What the error's text names, by its placeholders: an error cannot be made without them. */
  readonly values: readonly string[];
}

export const ERRORS = {
  BAD_JSON: { rpc: -32700, modern: -32700, http: 400, retryable: false, values: ["reason"] },
  BAD_REQUEST: { rpc: -32600, modern: -32600, http: 400, retryable: false, values: ["reason"] },
  UNKNOWN_METHOD: { rpc: -32601, modern: -32601, http: 404, retryable: false, values: ["method"] },
  UNKNOWN_TOOL: { rpc: -32602, modern: -32602, http: 400, retryable: false, values: ["tool"] },
  INVALID_ARGUMENT: { rpc: -32602, modern: -32602, http: 400, retryable: false, values: ["reason"] },
  INVALID_PARAMS: { rpc: -32602, modern: -32602, http: 400, retryable: false, values: ["reason"] },
  NO_CAPACITY: { rpc: -32000, modern: 1503, http: 503, retryable: true, values: ["waiting", "source", "seconds"] },
  UNKNOWN_SESSION: { rpc: -32001, modern: 1404, http: 404, retryable: false, values: [] },
  QUEUE_TIMEOUT: { rpc: -32002, modern: 1504, http: 504, retryable: true, values: ["seconds", "source"] },
  DEADLINE_EXCEEDED: { rpc: -32002, modern: 1504, http: 504, retryable: true, values: ["source", "seconds"] },
  RATE_LIMITED: { rpc: -32003, modern: 1429, http: 429, retryable: true, values: ["seconds"] },
  SOURCE_UNAVAILABLE: { rpc: -32004, modern: 1503, http: 503, retryable: true, values: ["source", "reason"] },
  SOURCE_STARTING: { rpc: -32004, modern: 1503, http: 503, retryable: true, values: ["source", "seconds"] },
  OUTCOME_UNKNOWN: { rpc: -32004, modern: 1502, http: 502, retryable: false, values: ["source"] },
  SOURCE_ERROR: { rpc: -32603, modern: 1502, http: 502, retryable: false, values: ["source", "reason"] },
  ANSWER_TOO_LARGE: { rpc: -32603, modern: 1502, http: 502, retryable: false, values: ["source", "bytes", "limit"] },
  CANCELLED: { rpc: -32800, modern: 1499, http: 499, retryable: false, values: [] },
  STOPPED: { rpc: -32800, modern: 1499, http: 409, retryable: false, values: [] },
  UNSUPPORTED_VERSION: { rpc: -32602, modern: -32022, http: 400, retryable: false, values: ["version"] },
  HEADER_MISMATCH: { rpc: -32600, modern: -32020, http: 400, retryable: false, values: ["header"] },
  MISSING_CAPABILITY: { rpc: -32600, modern: -32021, http: 400, retryable: false, values: ["capability"] },
  UNAUTHORIZED: { rpc: -32600, modern: 1401, http: 401, retryable: false, values: [] },
  UNKNOWN_KEY: { rpc: -32600, modern: 1401, http: 401, retryable: false, values: [] },
  FORBIDDEN: { rpc: -32600, modern: 1403, http: 403, retryable: false, values: [] },
  COMMAND_NOT_ALLOWED: { rpc: -32600, modern: 1403, http: 403, retryable: false, values: ["command"] },
  FORBIDDEN_HOST: { rpc: -32600, modern: 1403, http: 403, retryable: false, values: ["host"] },
  FORBIDDEN_ORIGIN: { rpc: -32600, modern: 1403, http: 403, retryable: false, values: ["origin"] },
  FORBIDDEN_ADDRESS: { rpc: -32602, modern: 1403, http: 403, retryable: false, values: ["address"] },
  OWN_ADDRESS: { rpc: -32602, modern: 1403, http: 403, retryable: false, values: ["address"] },
  HUB_LOOP: { rpc: -32600, modern: 1508, http: 508, retryable: false, values: ["hops", "limit"] },
  NOT_FOUND: { rpc: -32600, modern: 1404, http: 404, retryable: false, values: ["path"] },
  NO_SUCH: { rpc: -32600, modern: 1404, http: 404, retryable: false, values: ["kind", "name"] },
  NO_HOUSE: { rpc: -32600, modern: 1404, http: 404, retryable: false, values: [] },
  NAME_TAKEN: { rpc: -32600, modern: 1409, http: 409, retryable: false, values: ["kind", "name"] },
  CONFIGURED: { rpc: -32600, modern: 1409, http: 409, retryable: false, values: ["name"] },
  ALREADY_ENDED: { rpc: -32600, modern: 1409, http: 409, retryable: false, values: ["id"] },
  NOT_DISCOVERED: { rpc: -32004, modern: 1503, http: 503, retryable: true, values: ["name", "address", "reason"] },
  NODE_UNAVAILABLE: { rpc: -32004, modern: 1503, http: 503, retryable: true, values: ["node"] },
  STORE_UNAVAILABLE: { rpc: -32004, modern: 1503, http: 503, retryable: true, values: ["reason"] },
  METHOD_NOT_ALLOWED: { rpc: -32600, modern: 1405, http: 405, retryable: false, values: ["method", "allowed"] },
  STREAM_TAKEN: { rpc: -32600, modern: 1409, http: 409, retryable: false, values: [] },
  TOO_LARGE: { rpc: -32600, modern: 1413, http: 413, retryable: false, values: ["what", "limit"] },
  UNSUPPORTED_MEDIA: { rpc: -32600, modern: 1415, http: 415, retryable: false, values: ["type"] },
  INTERNAL: { rpc: -32603, modern: -32603, http: 500, retryable: false, values: ["reference"] },
} as const;
ERRORS satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** What is known of the call's fate at the source: never left, certainly ran, or nobody can tell. */
export type Delivery = "not_sent" | "unknown" | "executed";

export interface ErrorDetails {
  /** Values for the placeholders of the error's text in the message catalogue. */
  readonly params?: Readonly<Record<string, string | number>> | undefined;
  /** Extra members of the answer's `data`; must be safe to show to the caller. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly delivery?: Delivery | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The inner reason: for the log only, never for an answer. */
  readonly cause?: unknown;
  /** A source's own JSON-RPC error, relayed with its number and text. */
  readonly relayed?: RelayedError | undefined;
  /** A source's last words before it ended, which may hold a path: for the log and for administrators. */
  readonly words?: string | undefined;
}

type Values<Code extends ErrorCode> = Readonly<Record<(typeof ERRORS)[Code]["values"][number], string | number>>;

/** Either all that its text names, or the source's own text. */
type DetailsFor<Code extends ErrorCode> =
  | (ErrorDetails & { readonly params: Values<Code> })
  | (ErrorDetails & { readonly relayed: RelayedError });

/** What nobody expected has no values until it is told: then it gets a reference. */
type NeedsNothing<Code extends ErrorCode> = Code extends "INTERNAL"
  ? true
  : (typeof ERRORS)[Code]["values"] extends readonly []
    ? true
    : false;

/** A code with what its text needs: a placeholder that nobody fills does not compile. */
export type ErrorArguments = {
  [Code in ErrorCode]: NeedsNothing<Code> extends true
    ? [code: Code, details?: ErrorDetails]
    : [code: Code, details: DetailsFor<Code>];
}[ErrorCode];

interface RelayedError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  /** The whole error object as it was written, where it is one that may be passed on so. */
  readonly text?: string | undefined;
}

export class ZaguanError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(...[code, details = {}]: ErrorArguments) {
    // Where it came from matters for what nobody expected. The rest are answers, and in a flood there are thousands of
    // them in a second: a stack would be most of what they cost.
    const { stackTraceLimit } = Error;
    if (code !== "INTERNAL") Error.stackTraceLimit = 0;
    super(describe(code, details), { cause: details.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "ZaguanError";
    this.code = code;
    this.details = details;
  }

  get row(): ErrorRow {
    return ERRORS[this.code];
  }

  get delivery(): Delivery | undefined {
    return this.details.delivery;
  }

  /** The same failure with more details: those that its text needs are there already. */
  with(details: ErrorDetails): ZaguanError {
    return new ZaguanError(...([this.code, { ...this.details, ...details }] as ErrorArguments));
  }
}

/** The one place where an unknown cause becomes one of ours; its text stays inside, for the log. */
export function toZaguanError(cause: unknown): ZaguanError {
  return cause instanceof ZaguanError ? cause : new ZaguanError("INTERNAL", { cause });
}

/** Whether an address was refused before anything was connected to it: another way to the same address is refused alike. */
export function isAddressRefusal({ code }: ZaguanError): boolean {
  return code === "FORBIDDEN_ADDRESS" || code === "OWN_ADDRESS";
}

/** The same failure, with what is known of the call's fate. */
export function withDelivery(error: ZaguanError, delivery: Delivery | undefined): ZaguanError {
  return error.delivery === delivery ? error : error.with({ delivery });
}

/** A source's answer that is larger than we take. */
export function answerTooLarge(source: string, bytes: number, limit: number, delivery: Delivery): ZaguanError {
  return new ZaguanError("ANSWER_TOO_LARGE", { params: { source, bytes, limit }, delivery });
}

function describe(code: ErrorCode, details: ErrorDetails): string {
  if (details.relayed) return `${code}: ${details.relayed.message}`;
  const params = details.params ? ` ${JSON.stringify(details.params)}` : "";
  const cause = details.cause instanceof Error ? `: ${details.cause.message}` : "";
  return `${code}${params}${cause}`;
}
