/** Names fit for every client: tools from an `operationId` or from method and path, arguments from names on the wire. */
import { PLAIN_NAME } from "../contract/rules.ts";

const LONGEST = 64;

/** Hands out each name once. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  readonly #next = new Map<string, number>();

  take(wanted: string): string {
    const name = this.#free(wanted);
    this.#taken.add(name);
    return name;
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** Where the count stood is kept, so that a thousand equal names are not counted through a thousand times. */
  #free(wanted: string): string {
    if (!this.#taken.has(wanted)) return wanted;
    for (let number = this.#next.get(wanted) ?? 2; ; number++) {
      const suffix = `_${number}`;
      const name = wanted.slice(0, LONGEST - suffix.length) + suffix;
      this.#next.set(wanted, number + 1);
      if (!this.#taken.has(name)) return name;
    }
  }
}

export function toolName(operationId: string | undefined, method: string, path: string): string {
  return fit(operationId ?? "") || nameOfPath(method, path);
}

/** As it is, where every client can take it; else with the characters that some refuse left out. */
export function argumentName(name: string): string {
  return fit(name) || "argument";
}

/** For `$defs`, where a name is looked up by a pointer. */
export function definitionName(pointer: string): string {
  return fit(pointer.slice(pointer.lastIndexOf("/") + 1)) || "schema";
}

/** `GET /pets/{id}` reads `get_pets_by_id`. */
function nameOfPath(method: string, path: string): string {
  const words = path
    .slice(0, LONGEST * 4)
    .replaceAll("{", "_by_")
    .replaceAll("}", "_");
  return tidy(`${method.toLowerCase()}_${words}`);
}

/** Not `__proto__`: whatever a client makes of it, it is not a member. */
function fit(name: string): string {
  return PLAIN_NAME.test(name) && name !== "__proto__" ? name : tidy(name);
}

/** Cut before the patterns run, so that an endless name costs nothing. */
function tidy(name: string): string {
  const plain = name.slice(0, LONGEST * 5).replaceAll(/[^A-Za-z0-9_.-]+/g, "_");
  return trimmed(trimmed(plain.replaceAll(/_{2,}/g, "_")).slice(0, LONGEST));
}

function trimmed(name: string): string {
  return name.replace(/^[_.-]+/, "").replace(/[_.-]+$/, "");
}
