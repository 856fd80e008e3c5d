/** APIs with what they need around them: their table, the hub they come under, and the ways to read and check them. */
import type { ApiChecker, DocumentReader } from "../apis/book.ts";
import { type KeptApis, openApis } from "../apis/open.ts";
import type { RegistryRules } from "../registry/ports.ts";
import type { ServerRegistry } from "../registry/servers.ts";
import type { Secrets } from "../security/secrets.ts";
import type { ApiOptions } from "../sources/api/operation.ts";
import type { ApiTable } from "../store/apis.ts";
import type { AttachedSources } from "./sources.ts";

interface ApisSetup {
  readonly table: ApiTable;
  readonly secrets: Secrets;
  readonly sources: AttachedSources;
  readonly servers: ServerRegistry;
  rules(): RegistryRules;
  announce(): void;
  report(cause: unknown): void;
}

export function openKeptApis(setup: ApisSetup): KeptApis {
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
