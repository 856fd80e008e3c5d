/**
 * Takes the secrets out of a server's entry before it is given away: a `${VARIABLE}`, named after the server and the place
 * where it stood, comes in the place of each. In doubt something is a secret: a variable too many does no harm.
 */
import type { WrittenEntry } from "../../config/edit.ts";
import { withSecretsReplaced } from "../../security/entry-secrets.ts";

/** The variables given out so far, so that no two secrets share one. */
export class Variables {
  readonly #places = new Map<string, string>();

  /** For what stands in a place of a server: the same for the same secret, another for another. */
  name(server: string, place: string, secret = ""): string {
    const wanted = `${server}_${place}`
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, "_")
      .replace(/^(?=\d)/, "_");
    const key = JSON.stringify([server, place, secret]);
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted}_${number}`;
      const taken = this.#places.get(name);
      if (taken !== undefined && taken !== key) continue;
      this.#places.set(name, key);
      return name;
    }
  }
}

/** `\${NAME}`, made of parts so that no reader takes it for a template. */
export function referenceTo(name: string): string {
  return `\${${name}}`;
}

export function withoutSecrets(server: string, entry: WrittenEntry, variables: Variables): WrittenEntry {
  const replace = (place: string, secret: string): string => referenceTo(variables.name(server, place, secret));
  return withSecretsReplaced(entry, { replace, inDoubt: true });
}
