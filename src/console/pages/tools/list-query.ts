/** What is looked for among the tools: in the address of the page, and as the hub is asked for it; and one tool by its name. */
import { pathOf } from "../../../contract/client.ts";
import { getPage, type Page, Problem } from "../../kit/api.ts";
import type { Tool } from "./tool-pages.ts";

export interface ToolsQuery {
  readonly search: string;
  /** The name of a server; empty for all. */
  readonly server: string;
  /** Also those that their server does not list any more. */
  readonly missing: boolean;
}

/** The longest search that the hub takes. */
const LONGEST_SEARCH = 200;

export function queryIn(params: URLSearchParams): ToolsQuery {
  return {
    search: params.get("search") ?? "",
    server: params.get("server") ?? "",
    missing: params.get("missing") === "true",
  };
}

/** `#/tools?server=house&search=lamp`. */
export function addressOf({ search, server, missing }: ToolsQuery): string {
  const params = new URLSearchParams({
    ...(server !== "" && { server }),
    ...(search !== "" && { search }),
    ...(missing && { missing: "true" }),
  });
  return params.size === 0 ? "#/tools" : `#/tools?${params}`;
}

/** Where the hub has one page of what is looked for. */
export function pageOf({ search, server, missing }: ToolsQuery, offset: number, limit: number): string {
  const words = search.trim().slice(0, LONGEST_SEARCH);
  const query = { search: words, withMissing: missing || undefined, offset, limit };
  if (server === "") return pathOf("listAllTools", { query });
  return pathOf("listToolsOfServer", { query: { serverId: server, ...query } });
}

export function isSameQuery(one: ToolsQuery, other: ToolsQuery): boolean {
  return addressOf(one) === addressOf(other);
}

const PAGE_ROWS = 200;

/**
 * One tool by its server and its name; undefined where its server has none of that name. The registry searches by words, so that
 * others may come with it.
 */
export async function findTool(
  server: string,
  name: string,
  signal: AbortSignal,
  load: (path: string, signal: AbortSignal) => Promise<Page<Tool>> = getPage,
): Promise<Tool | undefined> {
  const query = { search: name, server, missing: true };
  for (let offset = 0; ; offset += PAGE_ROWS) {
    const { rows, total } = await load(pageOf(query, offset, PAGE_ROWS), signal);
    const found = rows.find((row) => row.name === name);
    if (found) return found;
    if (rows.length === 0 || offset + rows.length >= total) return undefined;
  }
}

/** Its server is not there, or not for this caller. */
export function isNoServer(problem: Problem | undefined): boolean {
  return problem instanceof Problem && problem.status === 404;
}
