/** To what an administrator may change the registry; that it takes one is the doors' business (`doors/rights.ts`). */
import { isIP } from "node:net";
import type { NewServer } from "../contract/server.ts";
import type { Principal } from "../core/call.ts";
import { ZaguanError } from "../errors.ts";
import { isLocalName, isPublicAddress } from "../security/addresses.ts";
import type { RegistryRules } from "./ports.ts";

/** What somebody says of a server, as far as it may be refused. */
type Described = Pick<NewServer, "baseUrl" | "command" | "env">;

/** Throws whatever speaks against a server; tells whether it may be on a private address. */
export function checkServer({ baseUrl, command, env }: Described, principal: Principal, rules: RegistryRules): boolean {
  refuseUnlessOne(baseUrl, command);
  if (command !== undefined) checkCommand(command, env ?? {}, rules);
  return baseUrl !== undefined && checkAddress(baseUrl, principal, rules);
}

function refuseUnlessOne(baseUrl: string | undefined, command: string | undefined): void {
  if ((baseUrl === undefined) !== (command === undefined)) return;
  const reason = baseUrl === undefined ? "baseUrl or command is required" : "baseUrl and command exclude each other";
  const errors = [{ field: baseUrl === undefined ? "baseUrl" : "command", message: reason }];
  throw new ZaguanError("INVALID_PARAMS", { params: { reason }, data: { errors } });
}

/** By these a program can be made to run another before itself. */
const LOADERS = /^(?:LD_|DYLD_|NODE_OPTIONS$|BASH_ENV$|ENV$|PYTHONSTARTUP$|PYTHONPATH$|PERL5OPT$|RUBYOPT$)/i;

/** Arguments are free: whoever allows a command allows what it can be told. */
export function checkCommand(command: string, env: Readonly<Record<string, string>>, rules: RegistryRules): void {
  const isAllowed = rules.allowedCommands.includes(command) && !Object.keys(env).some((name) => LOADERS.test(name));
  if (isAllowed) return;
  throw new ZaguanError("COMMAND_NOT_ALLOWED", { params: { command: command.slice(0, 60) } });
}

/** Whether the server may be on a private address; throws FORBIDDEN_ADDRESS if it is on one and may not. */
export function checkAddress(baseUrl: string, principal: Principal, rules: RegistryRules): boolean {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, "");
  const isOwn = isLocalName(host);
  // Whoever sits at this machine can reach it anyway.
  if (isOwn && principal.kind === "local") return true;
  // The hub as a whole may be allowed; that is not kept with the server, in case it is not any more one day.
  if (rules.allowPrivate) return false;
  if (isOwn || (isIP(host) !== 0 && !isPublicAddress(host))) {
    throw new ZaguanError("FORBIDDEN_ADDRESS", { params: { address: host.slice(0, 100) }, delivery: "not_sent" });
  }
  return false;
}
