/**
 * Whether somebody has a right (`RIGHTS`, the one table). Every route names the row that it needs where it is declared; the
 * server asks here, once, before a handler runs or anything of a body is read. Agents and limited keys see and call what they may: that
 * is decided further in, tool by tool (`core/access.ts`).
 */
import type { Right } from "../contract/operation.ts";
import { isLimited } from "../core/access.ts";
import type { Principal } from "../core/call.ts";
import { ZaguanError } from "../errors.ts";

export function refuseUnless(right: Right, principal: Principal): void {
  if (!hasRight(right, principal)) throw new ZaguanError("FORBIDDEN");
}

/** Whoever has come this far has the first three: a key that is not valid is refused before. */
function hasRight(right: Right, principal: Principal): boolean {
  if (right === "admin") return principal.admin === true && !isLimited(principal);
  return right !== "unlimited" || !isLimited(principal);
}
