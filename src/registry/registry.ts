/** The registry as doors see it. */
import type { RegistryTables } from "../store/registry.ts";
import type { Agents } from "./agents.ts";
import type { Keys } from "./keys.ts";
import type { Previews } from "./preview.ts";
import type { ServerRegistry } from "./servers.ts";

export interface Registry {
  readonly servers: ServerRegistry;
  readonly previews: Previews;
  readonly agents: Agents;
  readonly keys: Keys;
  /** For reading lists; what changes something goes through those above. */
  readonly tables: RegistryTables;
}
