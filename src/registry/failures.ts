/** How the registry says that something is not there, or is there already. */
import { ZaguanError } from "../errors.ts";
import { NameTaken } from "../store/registry.ts";

export function noSuch(kind: string, idOrName: string): ZaguanError {
  return new ZaguanError("NO_SUCH", { params: { kind, name: idOrName.slice(0, 64) } });
}

/** Does what may find the name taken. */
export async function named<Result>(kind: string, name: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (cause) {
    if (!(cause instanceof NameTaken)) throw cause;
    throw new ZaguanError("NAME_TAKEN", { params: { kind, name: name.slice(0, 64) } });
  }
}
