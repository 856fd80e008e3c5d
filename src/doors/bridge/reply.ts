/**
 * Writes the answers: with the bridge's `bridge_info` beside result or error (seed 003), or with nothing beside (seed 004).
 * A result's text goes between the parts of the envelope as it came.
 */
import type { ZaguanError } from "../../errors.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { encodeError, encodeResult } from "../../protocol/json-rpc/message.ts";
import type { Exchange } from "../door.ts";
import { failureHeaders, JSON_TYPE } from "../http/exchange.ts";
import { worded } from "./refusal.ts";
import { shownUtc } from "./times.ts";

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
