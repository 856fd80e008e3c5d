/** How the registry says that something is not there, or is there already. */
import { ZaguanError } from "../errors.ts";
import { maskedAddress } from "../security/entry-secrets.ts";
import { NameTaken, type NewServer } from "../store/registry.ts";
import type { Discovered } from "./discovery.ts";

export function noSuch(kind: string, idOrName: string): ZaguanError {
  return new ZaguanError("NO_SUCH", { params: { kind, name: idOrName.slice(0, 64) } });
}

/** Does what may find the name taken. */
export async function named<Result>(kind: string, name: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (cause) {
    throw cause instanceof NameTaken ? nameTaken(kind, name) : cause;
  }
}

export function nameTaken(kind: string, name: string): ZaguanError {
  return new ZaguanError("NAME_TAKEN", { params: { kind, name: name.slice(0, 64) } });
}

/** Its credentials were sealed with another secret key than ours. */
export function cannotUnseal(source: string, cause: unknown): ZaguanError {
  const reason = "its credentials cannot be opened: they were sealed with another secret key";
  return new ZaguanError("SOURCE_UNAVAILABLE", { params: { source, reason }, delivery: "not_sent", cause });
}

/** For administrators: with the last words of a program that ended. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof ZaguanError)) return "unexpected";
  const { params, words } = cause.details;
  const reason = String(params?.["reason"] ?? cause.code);
  return words === undefined ? reason : `${reason}: ${words}`;
}

export function notDiscovered(
  { name, baseUrl, command }: Pick<NewServer, "name" | "baseUrl" | "command">,
  reason: string,
  { steps, error }: Discovered,
): ZaguanError {
  return new ZaguanError("NOT_DISCOVERED", {
    params: { name, address: baseUrl === undefined ? (command ?? "") : maskedAddress(baseUrl), reason },
    data: { attempts: steps },
    cause: error,
  });
}
