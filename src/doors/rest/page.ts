/** Lists that come in pages: what is cut, and how the caller learns of the rest. */
import { queryOf } from "../http/routes.ts";
import type { RestAnswer, RestRequest } from "./route.ts";

export interface PageQuery {
  readonly offset: number;
  readonly limit?: number | undefined;
  readonly search?: string | undefined;
}

/** One page of a list that is in memory as a whole, searched already. */
export function page(request: RestRequest<PageQuery>, all: readonly unknown[]): RestAnswer {
  const { offset, limit = all.length } = request.query;
  return { status: 200, body: all.slice(offset, offset + limit), headers: pageHeaders(request, all.length) };
}

/** For a list that the store has cut itself. */
export function pageHeaders(request: RestRequest<PageQuery>, total: number): Record<string, string> {
  const { offset, limit } = request.query;
  const headers: Record<string, string> = { "x-total-count": String(total) };
  if (limit === undefined) return headers;
  const links = [
    ...(offset + limit < total ? [linkTo(request.url, offset + limit, limit, "next")] : []),
    ...(offset > 0 ? [linkTo(request.url, Math.max(0, offset - limit), limit, "prev")] : []),
  ];
  return links.length > 0 ? { ...headers, link: links.join(", ") } : headers;
}

/** Whether every word of the search occurs in one of the texts. No search: everything fits. */
export function matcher(search: string | undefined): (texts: readonly (string | undefined)[]) => boolean {
  const words = folded(search ?? "")
    .split(/\s+/)
    .filter(Boolean);
  if (words.length === 0) return () => true;
  return (texts) => {
    const text = folded(texts.join("\n"));
    return words.every((word) => text.includes(word));
  };
}

/** Composed and not, letters that look alike are the same, as in the store. */
function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** The same request at another offset. Without a host, so that it holds behind every proxy. */
function linkTo(url: string, offset: number, limit: number, relation: string): string {
  const parameters = queryOf(url);
  parameters.set("offset", String(offset));
  parameters.set("limit", String(limit));
  const path = url.split("?", 1)[0]?.replace(/[^!-~]|[<>"]/g, encodeURIComponent);
  return `<${path}?${parameters}>; rel="${relation}"`;
}
