/** The registry as doors see it. */
import type { RegistryTables } from "../store/registry.ts";
import type { Agents } from "./agents.ts";
import type { ServerRegistry } from "./servers.ts";

export interface Registry {
  readonly servers: ServerRegistry;
  readonly agents: Agents;
  /** For reading lists; what changes something goes through the two above. */
  readonly tables: RegistryTables;
}
