/**
 * Servers as the files of other clients have them, without their secrets: a `${VARIABLE}`, named after the server and the
 * place where it stood, comes in the place of each. In doubt something is a secret, and so is all of an environment that is not
 * certainly harmless: a variable too many does no harm.
 */
import type { WrittenEntry } from "../../config/edit.ts";
import type { Server } from "../../contract/server.ts";
import { withSecretsReplaced } from "../../security/entry-secrets.ts";
import { isPrivateUrl } from "../server-options.ts";

export type Entries = Readonly<Record<string, WrittenEntry>>;

export const FORMS: Readonly<Record<string, (servers: Entries) => object>> = {
  mcpServers: (mcpServers) => ({ mcpServers }),
  vscode: (servers) => ({ servers: inVsCode(servers) }),
};

/** VS Code reads the environment as `\${env:NAME}` and wants to know the type. */
function inVsCode(servers: Entries): Entries {
  const entries = Object.entries(servers).map(([name, entry]) => {
    const { type, transport, ...rest } = entry;
    const written = JSON.stringify({ type: typeName(type ?? transport, rest), ...rest });
    const spelt = written.replace(/(?<!\$)\$\{([A-Za-z_]\w*)(?::-[^}]*)?\}/g, (_, variable: string) =>
      referenceTo(`env:${variable}`),
    );
    return [name, JSON.parse(spelt) as WrittenEntry];
  });
  return Object.fromEntries(entries);
}

function typeName(said: unknown, { url }: WrittenEntry): string {
  if (typeof said === "string") return /^streamable/.test(said) ? "http" : said;
  if (typeof url !== "string") return "stdio";
  return /^wss?:/i.test(url) ? "websocket" : "http";
}

/** What the hub tells of a registered server, as an entry; undefined where that is not enough to reach it. */
export function entryOf(server: Server, variables: Variables): WrittenEntry | undefined {
  const { name, baseUrl, transport, authType } = server;
  if (baseUrl === null) return undefined;
  const headers = {
    ...(authType === "oauth" && { Authorization: `Bearer ${referenceTo(variables.name(name, "Authorization"))}` }),
    ...(authType === "apikey" && { "X-API-Key": referenceTo(variables.name(name, "X-API-Key")) }),
  };
  return {
    ...(transport?.includes("SSE") && { type: "sse" }),
    url: baseUrl,
    ...(Object.keys(headers).length > 0 && { headers }),
    // The hub was allowed to connect there; a hub that reads this file must be told so.
    ...(isPrivateUrl(baseUrl) && { zaguan: { allowPrivate: true } }),
  };
}

/** The variables given out so far, so that no two secrets share one. */
export class Variables {
  readonly #places = new Map<string, string>();

  /** A name for the secret in this place of a server's entry: one for each secret. */
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
