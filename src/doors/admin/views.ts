/** Imported APIs as clients see them. What is sealed is not among it. */
import type { ImportedApi, Refreshed } from "../../contract/api.ts";
import { maskedAddress } from "../../security/entry-secrets.ts";

export function importView(api: ImportedApi): object {
  return { ...api, url: api.url === null ? null : maskedAddress(api.url), baseUrl: maskedAddress(api.baseUrl) };
}

export function refreshedView({ api, changes, skipped }: Refreshed): object {
  return { api: importView(api), changes, skipped };
}
