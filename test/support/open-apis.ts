/** APIs over a real store in memory, where the hub around them only notes what it was told. */
import { type KeptApis, openApis } from "../../src/apis/open.ts";
import { documentReader } from "../../src/compose/api-documents.ts";
import type { ApiOptions } from "../../src/sources/api/operation.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";
import { openSecrets } from "./registry-ports.ts";

export interface OpenApis extends KeptApis {
  readonly store: Store;
  /** What the hub holds now, by name. */
  readonly attached: Map<string, ApiOptions>;
  readonly reported: unknown[];
  /** What documents on the web say, by URL. */
  readonly web: Map<string, string>;
  /** What a check of an API says. */
  healthy: boolean;
  announced: number;
  allowPrivate: boolean;
}

export async function openApisInMemory(secrets = openSecrets("a key"), given?: Store): Promise<OpenApis> {
  const store = given ?? (await openSqliteStore(":memory:"));
  const apis = openApis(
    {
      table: store.apis,
      secrets,
      servers: { freeName: async () => {} },
      attachments: {
        attach: async (name, options) => void open.attached.set(name, options),
        detach: async (name) => void open.attached.delete(name),
        announce: () => void open.announced++,
      },
      checker: { isHealthy: async () => open.healthy },
      rules: () => ({ allowPrivate: open.allowPrivate, allowedCommands: [], discoveryMs: 1_000 }),
      report: (cause) => void open.reported.push(cause),
    },
    { fetch: async (url) => open.web.get(url) ?? Promise.reject(new Error(url)), read: documentReader.read },
  );
  const noted = { attached: new Map(), reported: [], web: new Map() };
  const open: OpenApis = { ...apis, store, ...noted, healthy: true, announced: 0, allowPrivate: false };
  return open;
}
