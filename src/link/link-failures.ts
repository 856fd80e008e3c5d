/** What can go wrong with a link before a message leaves: it cannot be opened, or the sender takes the message back. */
import type { IncomingHttpHeaders } from "node:http";
import { withDelivery, ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";
import { explainStatus } from "./http-failures.ts";

/** Nothing of any message has left yet, whatever kept the link from opening. */
export function unopened(source: string, reason: string, cause?: unknown, retryAfterMs?: number): ZaguanError {
  const params = { source, reason };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent", cause, retryAfterMs });
}

/** For a status that opens nothing; `instead` says what a good status without the thing asked for amounts to. */
export function refusedOpening(
  source: string,
  status: number,
  headers: IncomingHttpHeaders,
  instead: string,
): ZaguanError {
  if (status < 300) return unopened(source, `${instead} (HTTP ${status})`);
  const error = explainStatus(status, headers, source, false);
  const reason = error?.details.params?.["reason"] ?? `HTTP ${status}`;
  return unopened(source, String(reason), error, error?.details.retryAfterMs);
}

/** The reason of an abort where it is one of ours, else that it was cancelled; with the certainty that nothing left. */
export function givenUp(signal: CancelSignal): ZaguanError {
  const { reason } = signal;
  const error = reason instanceof ZaguanError ? reason : new ZaguanError("CANCELLED", { cause: reason });
  return withDelivery(error, "not_sent");
}
