/** The registry and the APIs with everything they need around them: their tables, the hub they fill, and the ways to ask, read and check. */
import type { ApiChecker, DocumentReader } from "../apis/book.ts";
import { type KeptApis, openApis } from "../apis/open.ts";
import type { Environment } from "../config/load.ts";
import type { ZaguanConfig } from "../config/types.ts";
import type { Hub } from "../core/hub.ts";
import type { Changes } from "../core/shared/changes.ts";
import { Agents } from "../registry/agents.ts";
import { Keys } from "../registry/keys.ts";
import type { Registry, RegistryRules } from "../registry/ports.ts";
import { Previews } from "../registry/preview.ts";
import { ServerRegistry } from "../registry/servers.ts";
import type { AuthenticatorOptions } from "../security/authenticate.ts";
import type { Secrets } from "../security/secrets.ts";
import type { ApiOptions } from "../sources/api/operation.ts";
import type { ApiTable } from "../store/apis.ts";
import type { RegistryTables } from "../store/registry.ts";
import type { KeyTable, Store } from "../store/store.ts";
import { openKeyRing } from "./key-ring.ts";
import { makeProber } from "./prober.ts";
import { refuseOtherKey } from "./secret-key-check.ts";
import type { AttachedSources } from "./sources.ts";
import { systemClock, systemRandom } from "./system.ts";

interface RegistrySetup {
  readonly store: Store;
  /** Its tables with what is known while it is away, where it is one that can be. */
  readonly remembered?: ReadTables | undefined;
  readonly hub: Hub;
  readonly sources: AttachedSources;
  readonly dataDir: string;
  readonly env: Environment;
  readonly allowPrivate: boolean;
  readonly changes: Changes;
  config(): ZaguanConfig;
  report(cause: unknown): void;
}

interface ReadTables {
  /** The tables by which it is decided what is offered. */
  readonly forLookups: RegistryTables;
  /** The tables for what is only displayed; their lists may be stale. */
  readonly forDisplay: RegistryTables;
  readonly keys: KeyTable;
  readonly apis: ApiTable;
}

export interface OpenedRegistry {
  readonly registry: Registry;
  /** They share names, secrets and rules with it. */
  readonly apis: KeptApis;
}

export async function openRegistry(setup: RegistrySetup): Promise<OpenedRegistry> {
  const { store, hub, sources, allowPrivate, changes } = setup;
  const { dataDir, env } = setup;
  const { secretFile } = setup.config().cluster;
  const isShared = store.address !== undefined;
  const secrets = await openKeyRing({ env, dataDir, secretFile, isShared });
  if (isShared) await refuseOtherKey(store, secrets);
  const { forLookups: tables, forDisplay, keys, apis: table } = setup.remembered ?? withoutFallback(store);
  const report = (cause: unknown): void => setup.report(cause);
  const announce = (): void => changes.publish("links");
  const forgetKeys = (): void => changes.publish("keys");
  const agents = new Agents({ tables, shown: forDisplay, keys, announce: () => changes.publish("tools"), forgetKeys });
  changes.watch((change) => {
    if (change === "links") agents.refresh().catch(report);
    if (change !== "keys") hub.announceTools();
  });
  const rules = (): RegistryRules => {
    const { limits, auth } = setup.config();
    return { allowPrivate, allowedCommands: auth.allowedCommands, discoveryMs: limits.discoverySeconds * 1_000 };
  };
  const lineBytes = (): number => setup.config().limits.lineBytes;
  const prober = makeProber(hub, () => ({ lineBytes: lineBytes(), allowPrivate }));
  const asking = { prober, rules, clock: systemClock, random: systemRandom };
  const servers = new ServerRegistry({
    ...asking,
    tables,
    secrets,
    report,
    attachments: {
      attach: (name, server, tools) => sources.setRegistered(name, server, tools),
      detach: (name) => sources.remove("registered", name),
      has: (name) => hub.has(name),
      restart: (name) => hub.restart(name),
      learned: async (name, tools) => {
        await sources.learned(name, tools);
        announce();
      },
      announce,
    },
  });
  const previews = new Previews({ ...asking, isTaken: (name) => servers.isTaken(name) });
  const apis = openKeptApis({ table, secrets, sources, servers, rules, announce, report });
  const registry = { servers, previews, agents, keys: new Keys({ keys, agents, forgetKeys }), tables: forDisplay };
  return { registry, apis };
}

function withoutFallback({ registry, keys, apis }: Store): ReadTables {
  return { forLookups: registry, forDisplay: registry, keys, apis };
}

/** What the registry knows of those who come with a key: the holder of an agent's key is that agent. */
export function holdersIn(
  registry: () => Registry | undefined,
): Required<Pick<AuthenticatorOptions, "agent" | "isRevoked">> {
  return {
    agent: async (agentId, keyId) => registry()?.agents.principal(agentId, keyId),
    isRevoked: (keyId) => registry()?.keys.isRevoked(keyId) ?? false,
  };
}

interface ApisSetup {
  readonly table: ApiTable;
  readonly secrets: Secrets;
  readonly sources: AttachedSources;
  readonly servers: ServerRegistry;
  rules(): RegistryRules;
  announce(): void;
  report(cause: unknown): void;
}

function openKeptApis(setup: ApisSetup): KeptApis {
  const { sources, servers } = setup;
  const attachments = {
    attach: (name: string, options: ApiOptions, concurrency: number | undefined) =>
      // Agents are linked to tools of the registry, so that they stand there too.
      sources.setApi(name, options, concurrency, (tools) => servers.keep(name, tools, "api")),
    detach: (name: string) => sources.remove("api", name),
    announce: () => setup.announce(),
  };
  return openApis({ ...setup, attachments, checker }, reader);
}

/** Loaded with the first that is needed: most starts import nothing. */
const reader: DocumentReader = {
  fetch: async (...given) => (await import("./api-documents.ts")).documentReader.fetch(...given),
  read: async (...given) => (await import("./api-documents.ts")).documentReader.read(...given),
};
const checker: ApiChecker = {
  isHealthy: async (...given) => (await import("./api-checker.ts")).apiChecker.isHealthy(...given),
};
