/**
 * Whether a caller has a right of `RIGHTS`. Every route names the right that it needs; the server asks here, once, before a
 * handler runs or any of a body is read. What agents and limited keys may see and call is decided later, tool by tool
 * (`core/access.ts`).
 */
import type { Right } from "../contract/operation.ts";
import { isLimited } from "../core/access.ts";
import type { Principal } from "../core/call.ts";
import { ZaguanError } from "../errors.ts";

export function refuseUnless(right: Right, principal: Principal): void {
  if (!hasRight(right, principal)) throw new ZaguanError("FORBIDDEN");
}

/** Every caller has the rights `nobody`, `see` and `call`: a key that is not valid is refused before. */
function hasRight(right: Right, principal: Principal): boolean {
  if (right === "admin") return principal.admin === true && !isLimited(principal);
  return right !== "unlimited" || !isLimited(principal);
}
