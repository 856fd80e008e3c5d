/** Imported APIs as clients see them. What is sealed is not among it. */
import type { ImportedApi, Refreshed } from "../../apis/contract.ts";

export function importView(api: ImportedApi): object {
  return { ...api, url: api.url === null ? null : withoutQuery(api.url), baseUrl: withoutQuery(api.baseUrl) };
}

export function refreshedView({ api, changes, skipped }: Refreshed): object {
  return { api: importView(api), changes, skipped };
}

/** A token may stand in the query. */
function withoutQuery(url: string): string {
  const query = url.indexOf("?");
  return query < 0 ? url : `${url.slice(0, query)}?…`;
}
