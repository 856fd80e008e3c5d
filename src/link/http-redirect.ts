/**
 * Redirects that are followed. A request to an MCP server follows those that keep its method and body (307, 308; of a GET
 * any) and stay at the same origin, which is how servers move a client from `/mcp` to `/mcp/`; whoever redirects has not done
 * what was asked, so that sending it again is no second time. A call of an API goes by the rules of fetch, but only to
 * something that is read: nothing is done a second time elsewhere.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { HttpReply, HttpRequest } from "./http-call.ts";
import type { ExchangeRequest, Target } from "./http-exchange.ts";
import type { HeaderRecord } from "./http-headers.ts";

export const MAX_HOPS = 5;
const KEEPING_THE_METHOD: ReadonlySet<number> = new Set([307, 308]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const SHOWN_LENGTH = 200;

/** For a request to an MCP server; undefined where the answer is no redirect, or none that is followed. */
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

/** What another origin may see of us: no credentials, and no header of which nobody knows whether it is one. */
const FOR_STRANGERS: readonly string[] = ["accept", "accept-encoding", "accept-language", "user-agent"];
const OF_A_BODY: ReadonlySet<string> = new Set(["content-type", "content-encoding", "content-language"]);

/** For a call of an API; undefined where the answer is no redirect, or none that may be followed. */
export function nextHop(request: HttpRequest, { status, headers }: HttpReply): HttpRequest | undefined {
  const { location } = headers;
  const method = REDIRECTS.has(status) ? nextMethod(request.method, status) : undefined;
  if (method === undefined || location === undefined || !URL.canParse(location, request.url)) return undefined;
  const url = new URL(location, request.url);
  url.hash = "";
  const isSame = url.origin === new URL(request.url).origin;
  return {
    ...request,
    method,
    url: url.href,
    body: undefined,
    headers: isSame ? withoutBody(request.headers) : forStrangers(request.headers),
  };
}

function nextMethod(method: HttpRequest["method"], status: number): HttpRequest["method"] | undefined {
  if (method === "GET" || method === "HEAD") return method;
  const becomesGet = status === 303 || (method === "POST" && (status === 301 || status === 302));
  return becomesGet ? "GET" : undefined;
}

function withoutBody(headers: HeaderRecord): HeaderRecord {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_A_BODY.has(name)));
}

function forStrangers(headers: HeaderRecord): HeaderRecord {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => FOR_STRANGERS.includes(name)));
}
