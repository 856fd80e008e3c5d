/** Where a redirect leads, by the rules of fetch, but only to something that is read: nothing is done a second time elsewhere. */
import type { IncomingHttpHeaders } from "node:http";
import type { HttpRequest } from "./http-call.ts";
import type { HeaderRecord } from "./http-headers.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** What another origin may see of us: no credentials, and no header of which nobody knows whether it is one. */
const FOR_STRANGERS: readonly string[] = ["accept", "accept-encoding", "accept-language", "user-agent"];
const OF_A_BODY: ReadonlySet<string> = new Set(["content-type", "content-encoding", "content-language"]);

interface Redirect {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Undefined where the answer is no redirect, or none that may be followed. */
export function nextHop(request: HttpRequest, { status, headers }: Redirect): HttpRequest | undefined {
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
