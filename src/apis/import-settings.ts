/** What somebody says when a document is imported, made whole: its name, its address, and credentials by scheme. */
import type { GivenAuth, ImportChange, NewImport } from "../contract/api.ts";
import { areByScheme } from "../contract/rules.ts";
import { ZaguanError } from "../errors.ts";
import type { ReadApi } from "../openapi/operations.ts";
import type { ReadScheme } from "../openapi/security.ts";
import type { DocumentSecrets } from "./api-records.ts";

export function refuseUnlessOneSource({ url, document }: Pick<NewImport, "url" | "document">): void {
  if ((url === undefined) !== (document === undefined)) return;
  if (url === undefined) throw invalid("document", "url or document is required");
  throw invalid("document", "url and document exclude each other");
}

/** For one that was pasted: nobody knows where to look for a newer one. */
export function needsDocument(): ZaguanError {
  return invalid("document", "document is required: this API did not come from a URL");
}

/** "Swagger Petstore - OpenAPI 3.0" is called swagger-petstore-openapi-3.0. */
export function nameFor({ name }: NewImport, { title }: ReadApi): string {
  if (name !== undefined) return name;
  const plain = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.replace(/[^a-z0-9.]+/g, "-").replace(/^[-.]+|[-.]+$/g, "");
  const made = words.slice(0, 64).replace(/[-.]+$/, "");
  return made === "" || made === "house" ? "api" : made;
}

export function baseUrlFor({ baseUrl }: NewImport, read: ReadApi): string {
  const found = baseUrl ?? usableServer(read);
  if (found !== undefined) return found;
  const reason =
    read.servers.length === 0 ? "the document names no server" : "the document's first server is no whole address";
  throw invalid("baseUrl", `baseUrl is required: ${reason}`);
}

/** The first that the document names, if it is a whole address, and one without a password. */
export function usableServer({ servers }: Pick<ReadApi, "servers">): string | undefined {
  const [server = ""] = servers;
  const url = /^https?:\/\//i.test(server) ? URL.parse(server) : null;
  return url && url.username === "" && url.password === "" ? server : undefined;
}

/** The credentials of an API; those that are not said stay as they were. */
export function secretsFor(
  { auth, headers }: Pick<ImportChange, "auth" | "headers">,
  schemes: readonly ReadScheme[],
  before: DocumentSecrets,
): DocumentSecrets {
  return {
    auths: auth === undefined ? before.auths : byScheme(auth, schemes),
    headers: headers ?? before.headers,
  };
}

/** One for all, or by names, which the document must have. */
function byScheme(auth: GivenAuth, schemes: readonly ReadScheme[]): DocumentSecrets["auths"] {
  if (!areByScheme(auth)) return { "": auth };
  refuseUnknownSchemes(Object.keys(auth), schemes);
  return auth;
}

export function refuseUnknownSchemes(names: readonly string[], schemes: readonly ReadScheme[]): void {
  const known = schemes.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const choice = known.length === 0 ? "the document has none" : `it has ${known.join(", ")}`;
  throw invalid("auth", `there is no security scheme '${unknown.slice(0, 64)}' in the document: ${choice}`);
}

function invalid(field: string, reason: string): ZaguanError {
  return new ZaguanError("INVALID_PARAMS", { params: { reason }, data: { errors: [{ field, message: reason }] } });
}
