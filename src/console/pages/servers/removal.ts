/** Whether a server can be taken away from here, and how; or why not. */
import { pathOf } from "../../../contract/client.ts";
import type { Server } from "../../../contract/server.ts";

/** Servers whose removal is under way: nobody asks for them meanwhile, since they may be gone at any moment. */
export const removing = new Set<string>();

type Removal = { readonly path: string } | { readonly why: Exclude<Server["origin"], "registered"> };

/** An API that was imported is removed where it was; tools that were described one by one are not one thing. */
export function removalOf(name: string, origin: Server["origin"], isImported: boolean): Removal {
  if (origin === "registered") return { path: pathOf("deleteServer", { id: name }) };
  if (origin === "api" && isImported) return { path: pathOf("deleteApi", { id: name }) };
  return { why: origin };
}
