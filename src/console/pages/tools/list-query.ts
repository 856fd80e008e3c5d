/** What is looked for among the tools: in the address of the page, and as the hub is asked for it. */
export interface ToolsQuery {
  readonly search: string;
  /** The name of a server; empty for all. */
  readonly server: string;
  /** Also those that their server does not list any more. */
  readonly missing: boolean;
}

/** As much as the hub takes. */
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
export function pathOf({ search, server, missing }: ToolsQuery, offset: number, limit: number): string {
  const words = search.trim().slice(0, LONGEST_SEARCH);
  const params = new URLSearchParams({
    ...(server !== "" && { serverId: server }),
    ...(words !== "" && { search: words }),
    ...(missing && { withMissing: "true" }),
    offset: String(offset),
    limit: String(limit),
  });
  return `/mcp/tools${server === "" ? "/all" : ""}?${params}`;
}

export function isSameQuery(one: ToolsQuery, other: ToolsQuery): boolean {
  return addressOf(one) === addressOf(other);
}
