/**
 * Redirects that a request to an MCP server follows: those that keep its method and body (307, 308; of a GET any) and stay
 * at the same origin, which is how servers move a client from `/mcp` to `/mcp/`. Whoever redirects has not done what was
 * asked, so that sending it again is no second time.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { ExchangeRequest, Target } from "./http-exchange.ts";

export const MAX_HOPS = 5;
const KEEPING_THE_METHOD: ReadonlySet<number> = new Set([307, 308]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const SHOWN_LENGTH = 200;

/** Undefined where the answer is no redirect, or none that is followed. */
export function redirectTarget(
  { method, target }: Pick<ExchangeRequest, "method" | "target">,
  status: number,
  headers: IncomingHttpHeaders,
): Target | undefined {
  const isKept = (method === "GET" ? REDIRECTS : KEEPING_THE_METHOD).has(status);
  const url = isKept && headers.location !== undefined ? resolved(headers.location, target) : null;
  return url?.origin === target.origin ? { origin: url.origin, path: url.pathname + url.search } : undefined;
}

/** Where a redirect leads that is not followed, as people may see it: without what may be a secret. */
export function shownLocation(location: string | undefined): string {
  const plain = (location ?? "")
    .split(/[?#]/, 1)
    .join("")
    .replace(/\/\/[^/@]*@/, "//")
    .replace(/\p{C}/gu, "");
  return plain === "" ? "nowhere" : plain.slice(0, SHOWN_LENGTH);
}

function resolved(location: string, { origin, path }: Target): URL | null {
  return URL.parse(location, `${origin}${path}`);
}
