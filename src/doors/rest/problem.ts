/** How a REST endpoint words a failure: a problem document (RFC 9457), in the caller's language. */
import type { Problem } from "../../contract/problem.ts";
import { ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import type { Exchange } from "../door.ts";
import { failureHeaders } from "../http/exchange.ts";
import { textOf } from "../mcp/failure.ts";

export type FieldProblem = NonNullable<Problem["errors"]>[number];

/** Not by `import`, for the reason that `http/server.ts` gives. */
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** The answer 404 for a name or id from the path, of which no more is repeated than this. */
export function noSuch(kind: string, name: string): ZaguanError {
  return new ZaguanError("NO_SUCH", { params: { kind, name: name.slice(0, 64) } });
}

export function sendProblem(exchange: Exchange, error: ZaguanError): void {
  const headers = { ...failureHeaders(error), "content-type": "application/problem+json" };
  exchange.reply(error.row.http, JSON.stringify(problemOf(error, exchange.language)), headers);
}

function problemOf(error: ZaguanError, language: Language): Problem {
  const { data, delivery, retryAfterMs } = error.details;
  const status = error.row.http;
  return {
    ...data,
    type: "about:blank",
    title: STATUS_CODES[status] ?? "Client Closed Request",
    status,
    detail: textOf(error, language),
    code: error.code,
    ...(delivery && { delivery }),
    ...(retryAfterMs !== undefined && { retryAfterMs: Math.ceil(retryAfterMs) }),
  };
}
