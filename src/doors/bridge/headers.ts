/** The headers of seed 003 that name somebody or something; those that say how a call is wanted are every REST door's. */
import { randomUUID } from "node:crypto";
import type { Exchange } from "../door.ts";

/** What can stand in a header, a log and a JSON text alike. */
const PRINTABLE = /^[\x20-\x7e]{1,128}$/;

/** The caller's, or one of ours, so that there is always something to look for in a log. */
export function requestIdIn(exchange: Exchange): string {
  return printable(exchange.header("x-request-id")) ?? `req-${randomUUID()}`;
}

export function clientIdIn(exchange: Exchange): string | undefined {
  return printable(exchange.header("x-client-id"));
}

/** Undefined where it is absent; the empty one is some session's that is unknown. */
export function sessionIdIn(exchange: Exchange): string | undefined {
  return exchange.header("x-session-id");
}

function printable(header: string | undefined): string | undefined {
  return header !== undefined && PRINTABLE.test(header) ? header : undefined;
}
