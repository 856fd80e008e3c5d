/**
 * The table of APIs, in which no address has a secret that is not under seal. Whoever reads through it gets what was written; on the
 * disk there is what may be told, with the whole beside it, sealed.
 */
import { isDeepStrictEqual } from "node:util";
import { maskedAddress } from "../security/entry-secrets.ts";
import type { KeyRing, Secrets } from "../security/secrets.ts";
import type { ApiRecord, ApiTable, ApiToolRecord, ApiWrite } from "../store/apis.ts";

export function withSealedAddresses(table: ApiTable, secrets: Secrets): ApiTable {
  const open = (record: ApiRecord | undefined): ApiRecord | undefined => record && whole(record, secrets);
  const openTool = (tool: ApiToolRecord): ApiToolRecord => opened(tool, tool.apiId, secrets) ?? tool;
  return {
    save: (writes) => table.save(writes.map((write) => toldWrite(write, secrets))),
    get: async (id) => open(await table.get(id)),
    findByName: async (name) => open(await table.findByName(name)),
    list: async () => (await table.list()).map((record) => whole(record, secrets)),
    delete: (id) => table.delete(id),
    tools: async (apiId) => (await table.tools(apiId)).map(openTool),
    findTool: async (idOrCode) => {
      const found = await table.findTool(idOrCode);
      return found && openTool(found);
    },
    noteHealth: (...note) => table.noteHealth(...note),
  };
}

/** Earlier versions wrote them as they were given. */
export async function sealOldAddresses(table: ApiTable, secrets: Secrets): Promise<void> {
  for (const api of await table.list()) {
    const write = { api, tools: await table.tools(api.id) };
    const sealed = toldWrite(write, secrets);
    if (!isDeepStrictEqual(sealed, write)) await table.save([sealed]);
  }
}

/** A description as it is kept, under the first key; one that holds nothing under seal as it is. */
export function resealedDescription(described: string, apiId: string, keys: KeyRing): string {
  const shown = JSON.parse(described) as { readonly whole?: unknown };
  if (typeof shown.whole !== "string") return described;
  const whole = keys.reseal(shown.whole, contextOf(apiId));
  return whole === shown.whole ? described : JSON.stringify({ ...shown, whole });
}

function toldWrite({ api, tools }: ApiWrite, secrets: Secrets): ApiWrite {
  return { api: told(api, api.id, secrets), tools: tools.map((tool) => told(tool, api.id, secrets)) };
}

/** What has a description, and perhaps an address beside it. */
interface Described {
  readonly described: string;
  readonly baseUrl?: string;
}

function told<One extends Described>(one: One, apiId: string, secrets: Secrets): One {
  const shown = shownOf(one);
  if (shown.baseUrl === one.baseUrl && shown.described === one.described) return one;
  // Of what an earlier version has sealed, more may have to be: as it is on the disk, a part is missing.
  const known = opened(one, apiId, secrets);
  if (!known) return one;
  const { baseUrl, described } = known;
  const sealed = secrets.seal({ ...(baseUrl !== undefined && { baseUrl }), described }, contextOf(apiId));
  const all = shownOf(known);
  return { ...known, ...all, described: JSON.stringify({ ...JSON.parse(all.described), whole: sealed }) };
}

function shownOf({ baseUrl, described }: Described): Described {
  const shown = JSON.stringify(JSON.parse(described, masked));
  return { ...(baseUrl !== undefined && { baseUrl: maskedAddress(baseUrl) }), described: shown };
}

function whole(record: ApiRecord, secrets: Secrets): ApiRecord {
  // Sealed with another key, as its credentials are: it is told of, and cannot be called.
  return opened(record, record.id, secrets) ?? { ...record, sealed: record.sealed ?? "lost" };
}

/** Undefined where it cannot be opened. */
function opened<One extends Described>(one: One, apiId: string, secrets: Secrets): One | undefined {
  const { whole: sealed } = JSON.parse(one.described) as { readonly whole?: unknown };
  if (typeof sealed !== "string") return one;
  try {
    return { ...one, ...(secrets.open(sealed, contextOf(apiId)) as Described) };
  } catch {
    return undefined;
  }
}

function masked(_key: string, value: unknown): unknown {
  return typeof value === "string" ? maskedAddress(value) : value;
}

function contextOf(id: string): string {
  return `api-address:${id}`;
}
