/** What was tried to reach a server, and what became of each attempt; for whoever asks why it cannot be reached. */
import { isAddressRefusal, toZaguanError, ZaguanError } from "../../errors.ts";
import { statusOf } from "../../link/http-failures.ts";
import { NoResult } from "../../protocol/json-rpc/peer.ts";
import type { ConnectContext } from "../source.ts";

export interface Attempt {
  readonly transport: string;
  /** In a sentence, none of whose words are the server's own. */
  readonly outcome: string;
}

export const CONNECTED = "connected";

/** The cause of an error that says that no way led to a server. */
export class NoWay extends Error {
  readonly attempts: readonly Attempt[];

  constructor(attempts: readonly Attempt[]) {
    super(attempts.map(({ transport, outcome }) => `${transport}: ${outcome}`).join("; "));
    this.attempts = attempts;
  }
}

export class Attempts {
  readonly list: Attempt[] = [];
  /** When a server that was overloaded said to come back. */
  retryAfterMs: number | undefined;
  readonly #context: ConnectContext;

  constructor(context: ConnectContext) {
    this.#context = context;
  }

  failed(transport: string, cause: unknown): void {
    const error = toZaguanError(cause);
    this.retryAfterMs ??= error.details.retryAfterMs;
    this.#add(transport, outcomeOf(error), error.details.relayed?.message);
  }

  succeeded(transport: string): void {
    this.#add(transport, CONNECTED);
  }

  /** None of them led to it. */
  failure(): ZaguanError {
    const cause = new NoWay(this.list);
    const params = { source: this.#context.name, reason: `no way led to it. ${cause.message}` };
    const { retryAfterMs } = this;
    return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent", cause, retryAfterMs });
  }

  /** The server's own words are for the log alone. */
  #add(transport: string, outcome: string, words?: string): void {
    this.list.push({ transport, outcome });
    this.#context.onAttempt?.(transport, outcome);
    this.#context.onLog(`${transport}: ${outcome}${words === undefined ? "" : ` (${words.slice(0, 200)})`}`);
  }
}

/** Nothing can be had at an address where these happen, in whatever way it is asked. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_INVALID_ARG",
  "FORBIDDEN_ADDRESS",
  "OWN_ADDRESS",
]);
const TLS = /TLS|SSL|CERT|SIGNED|ISSUER|EPROTO|SIGNATURE/;

/**
 * Whether another way may do better after a failure. It may not where the server has understood us and refused (401, 403,
 * 429, 508), sends us elsewhere, or cannot be connected to. All else (a 5xx, a connection that is dropped, an answer that makes
 * no sense) may be the trouble of one way alone.
 */
export function leadsOn(error: ZaguanError): boolean {
  const status = statusOf(error);
  if (status !== undefined) return status >= 400 && ![401, 403, 429, 508].includes(status);
  const { cause } = error.details;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return !isAddressRefusal(error) && !UNREACHABLE.has(code) && !TLS.test(code);
}

/** In a sentence, none of whose words are the server's own. */
function outcomeOf(error: ZaguanError): string {
  const { code, details } = error;
  const { relayed, params, cause } = details;
  if (relayed) return `it answered with JSON-RPC error ${relayed.code}`;
  if (cause instanceof NoResult) return "its answer ended without a result";
  if (code === "OUTCOME_UNKNOWN") return "it closed the connection without an answer";
  const reason = typeof params?.["reason"] === "string" ? params["reason"] : code;
  const status = /^HTTP (\d+)$/.exec(reason)?.[1];
  return status === undefined ? reason : `it answered with HTTP ${status}`;
}
