/**
 * The one table of rights. Every route names the row that it needs in the place where it is declared; the server asks
 * here, once, before a handler runs or anything of a body is read. Agents and limited keys see and call what they may: that
 * is decided further in, tool by tool (`core/access.ts`).
 */
import { isLimited } from "../core/access.ts";
import type { Principal } from "../core/call.ts";
import { ZaguanError } from "../errors.ts";

/** From the least to the most, with who has it. */
export const RIGHTS = {
  nobody: "Everybody, without a key.",
  see: "Every key, and the local user; each sees what it may.",
  call: "Every key, and the local user; each calls what it may.",
  unlimited: "Keys that are not limited to some tools, and the local user; no agents.",
  admin: "Keys with `--admin`, and the local user.",
} as const;

export type Right = keyof typeof RIGHTS;

export function refuseUnless(right: Right, principal: Principal): void {
  if (!hasRight(right, principal)) throw new ZaguanError("FORBIDDEN");
}

/** Whoever has come this far has the first three: a key that is not valid is refused before. */
function hasRight(right: Right, principal: Principal): boolean {
  if (right === "admin") return principal.admin === true && !isLimited(principal);
  return right !== "unlimited" || !isLimited(principal);
}
