/** What a device says of itself when it dials in: in headers, or in the query where it cannot set any. */
import type { IncomingMessage } from "node:http";

const LONGEST = 128;

/** Its id; "" where it says none. */
export function deviceIdOf(request: Pick<IncomingMessage, "headers" | "url">): string {
  return (saidIn(request, "device-id") ?? saidIn(request, "client-id") ?? "").slice(0, LONGEST);
}

/** Its key, for whoever checks keys by headers; undefined where the headers say it already, or nothing does. */
export function keyInQuery(url: string | undefined): string | undefined {
  return queryOf(url).get("authorization")?.trim() || undefined;
}

function saidIn({ headers, url }: Pick<IncomingMessage, "headers" | "url">, name: string): string | undefined {
  const header = headers[name];
  const said = typeof header === "string" ? header.trim() : "";
  return said || queryOf(url).get(name)?.trim() || undefined;
}

function queryOf(url = ""): URLSearchParams {
  const at = url.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : url.slice(at + 1));
}
