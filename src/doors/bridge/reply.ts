/**
 * What the bridge answers: results and failures with `bridge_info` beside them (seed 003) or with nothing beside (seed 004),
 * the refusals that seed 003 words itself, and its times. A result's text goes into the envelope as it came.
 */
import { type ErrorArguments, type ErrorCode, type ErrorDetails, ZaguanError } from "../../errors.ts";
import { type Language, type MessageKey, say } from "../../messages/catalogue.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { encodeError, encodeResult } from "../../protocol/json-rpc/message.ts";
import type { Exchange } from "../door.ts";
import { failureHeaders, JSON_TYPE } from "../http/exchange.ts";
import { type RpcError, rpcError } from "../mcp/failure.ts";

/** How the answers of one exchange look. */
export interface Voice {
  answer(id: string, result: Payload, info: object): void;
  fail(id: string, error: ZaguanError): void;
}

export function bridgeVoice(exchange: Exchange, requestId: string): Voice {
  const named = { "x-request-id": requestId };
  return {
    answer: (id, { text }, info) => {
      const body = `{"jsonrpc":"2.0","id":${id},"result":${text},"bridge_info":${JSON.stringify(info)}}`;
      exchange.reply(200, body, { ...JSON_TYPE, ...named });
    },
    fail: (id, error) => {
      const said = JSON.stringify(worded(error, exchange.language));
      const info = JSON.stringify({ timestamp: shownUtc(Date.now()), request_id: requestId });
      const body = `{"jsonrpc":"2.0","id":${id},"error":${said},"bridge_info":${info}}`;
      exchange.reply(error.row.http, body, { ...failureHeaders(error), ...named });
    },
  };
}

export function strictVoice(exchange: Exchange): Voice {
  return {
    answer: (id, result) => exchange.reply(200, encodeResult(id, result)),
    fail: (id, error) => {
      const body = encodeError(id, worded(error, exchange.language));
      exchange.reply(error.row.http, body, failureHeaders(error));
    },
  };
}

type BridgeText = Extract<MessageKey, `bridge.${string}`>;

/** A failure with a text of the bridge's own. */
export class BridgeRefusal extends ZaguanError {
  readonly text: BridgeText;

  constructor(code: ErrorCode, text: BridgeText, details: ErrorDetails = {}) {
    // The types ask for the values of the code's text; this one has a text of its own.
    super(...([code, details] as ErrorArguments));
    this.text = text;
  }
}

/** Suggestions are for people, so they are added here, where the language is known. */
function worded(error: ZaguanError, language: Language): RpcError {
  const said = rpcError(error, language);
  if (!(error instanceof BridgeRefusal)) return said;
  const message = say(language, error.text, error.details.params);
  if (error.code !== "UNKNOWN_SESSION") return { ...said, message };
  return { ...said, message, data: { ...(said.data as object), suggestion: say(language, "bridge.suggestion") } };
}

/** For an unknown session, somebody else's, or one that ended; only its own principal is told when. */
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

const SECOND_MS = 1_000;

/** Kept from the last time, since it is nearly always the same second. */
let shown = { second: Number.NaN, text: "" };

/** As seed 003 writes a time: whole seconds in UTC. */
export function shownUtc(ms: number): string {
  const second = Math.floor(ms / SECOND_MS);
  if (second !== shown.second) shown = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return shown.text;
}

/** Rounded up to a whole second, so that `shownUtc` loses nothing of it. */
export function wholeSecond(ms: number): number {
  return Math.ceil(ms / SECOND_MS) * SECOND_MS;
}
