/** One tool by its server and its name. The registry finds by words, so that others may come with it. */
import { getPage, type Page } from "../../kit/api.ts";
import { Problem } from "../../kit/problem.ts";
import { pageOf } from "./list-query.ts";
import type { Tool } from "./tool-types.ts";

const PAGE_ROWS = 200;

/** Undefined where its server has none of that name. */
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
