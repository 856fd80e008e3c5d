/** What the bridge refuses in its own words (seed 003's), and how any failure reads there. */
import { type ErrorArguments, type ErrorCode, type ErrorDetails, ZaguanError } from "../../errors.ts";
import { type Language, type MessageKey, say } from "../../messages/catalogue.ts";
import { type RpcError, rpcError } from "../mcp/failure.ts";
import { shownUtc } from "./times.ts";

type BridgeText = Extract<MessageKey, `bridge.${string}`>;

export class BridgeRefusal extends ZaguanError {
  readonly text: BridgeText;

  constructor(code: ErrorCode, text: BridgeText, details: ErrorDetails = {}) {
    // What is needed are the values of its own text.
    super(...([code, details] as ErrorArguments));
    this.text = text;
  }
}

/** Suggestions are for people too, so they are said only here, where the language is known. */
export function worded(error: ZaguanError, language: Language): RpcError {
  const said = rpcError(error, language);
  if (!(error instanceof BridgeRefusal)) return said;
  const message = say(language, error.text, error.details.params);
  if (error.code !== "UNKNOWN_SESSION") return { ...said, message };
  return { ...said, message, data: { ...(said.data as object), suggestion: say(language, "bridge.suggestion") } };
}

/** One that never was, somebody else's, or one that is over: only of their own do callers learn when it ended. */
export function noSuchSession(id: string, expiredAt: number | undefined): BridgeRefusal {
  const ended = expiredAt === undefined ? {} : { expired_at: shownUtc(expiredAt) };
  return new BridgeRefusal("UNKNOWN_SESSION", "bridge.sessionExpired", {
    data: { session_id: id.slice(0, MOST_SHOWN), ...ended },
  });
}

/** @param queued how many calls wait in the hub */
export function noSessions(queued: number, waitMs: number): BridgeRefusal {
  const data = { queue_size: queued, estimated_wait_ms: waitMs };
  return new BridgeRefusal("NO_CAPACITY", "bridge.noSessions", { data, retryAfterMs: waitMs });
}

export function sessionTaken(): BridgeRefusal {
  return new BridgeRefusal("INVALID_PARAMS", "bridge.sessionTaken");
}

export function needsSession(): BridgeRefusal {
  return new BridgeRefusal("BAD_REQUEST", "bridge.needsSession");
}

export function otherMethod(method: string, expected: string): BridgeRefusal {
  const params = { method: method.slice(0, MOST_SHOWN), expected };
  return new BridgeRefusal("BAD_REQUEST", "bridge.otherMethod", { params });
}

const MOST_SHOWN = 128;
