/** What is chosen of an OpenAPI document, and the request that it makes. */
import type { GivenAuth, ImportPreview, NewImport, ShownOperation } from "../../../contract/api.ts";
import { type Pair, recordOf } from "./form-model.ts";

type Auth = Extract<GivenAuth, { readonly type: string }>;
export type AuthKind = "apiKey" | "basic" | "bearer" | "oauth2";
export type Scheme = ImportPreview["schemes"][number];

/** Where the document is: at an address, or here as text. */
export type Source = Pick<NewImport, "url" | "document">;

/** What somebody gives for one scheme; what its kind does not need stays empty. */
export interface Credentials {
  readonly secret: string;
  readonly user: string;
  readonly tokenUrl: string;
  readonly scopes: string;
  /** Of a key for which the document has no place. */
  readonly place: "header" | "query" | "cookie";
  readonly keyName: string;
}

export const NO_CREDENTIALS: Credentials = {
  secret: "",
  user: "",
  tokenUrl: "",
  scopes: "",
  place: "header",
  keyName: "",
};

export interface Choice {
  readonly name: string;
  readonly baseUrl: string;
  readonly by: "all" | "tags" | "operations";
  readonly tags: ReadonlySet<string>;
  /** As `idOf` says them. */
  readonly operations: ReadonlySet<string>;
  /** By the names of schemes; for a document without any, one of a kind of one's own under "". */
  readonly given: Readonly<Record<string, Credentials>>;
  readonly ownKind: AuthKind | "none";
  readonly headers: readonly Pair[];
}

export function firstChoice(preview: ImportPreview): Choice {
  return {
    name: preview.name,
    baseUrl: preview.baseUrl ?? "",
    by: "all",
    tags: new Set(),
    operations: new Set(preview.operations.map(idOf)),
    given: {},
    ownKind: "none",
    headers: [],
  };
}

export function idOf({ method, path }: ShownOperation): string {
  return `${method} ${path}`;
}

/** What is known of it already stands in the fields. */
export function credentialsFor(scheme: Scheme | undefined): Credentials {
  if (!scheme) return NO_CREDENTIALS;
  return { ...NO_CREDENTIALS, tokenUrl: scheme.tokenUrl ?? "", scopes: (scheme.scopes ?? []).join(" ") };
}

export function importOf(source: Source, preview: ImportPreview, choice: Choice): NewImport {
  const auth = authOf(preview, choice);
  const headers = recordOf(choice.headers);
  const baseUrl = choice.baseUrl.trim();
  return {
    ...source,
    ...(choice.name.trim() !== "" && { name: choice.name.trim() }),
    ...(baseUrl !== "" && baseUrl !== preview.baseUrl && { baseUrl }),
    ...selectionOf(choice, preview.operations),
    ...(auth && { auth }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

/** How many tools there would be; undefined where only the hub can tell. */
export function countOf({ by, operations }: Choice, all: readonly ShownOperation[]): number | undefined {
  if (by === "tags") return undefined;
  return by === "all" ? all.length : operations.size;
}

function selectionOf(
  { by, tags, operations }: Choice,
  all: readonly ShownOperation[],
): Pick<NewImport, "tags" | "paths"> {
  if (by === "tags") return { tags: [...tags] };
  // With all of them chosen, those that the document gets later are meant too.
  return by === "all" || operations.size === all.length ? {} : { paths: [...operations] };
}

function authOf({ schemes }: ImportPreview, { given, ownKind }: Choice): GivenAuth | undefined {
  if (schemes.length === 0) {
    return ownKind === "none" ? undefined : oneAuth({ name: "", type: ownKind }, given[""] ?? NO_CREDENTIALS);
  }
  const auths = schemes.flatMap((scheme) => {
    const auth = oneAuth(scheme, given[scheme.name] ?? NO_CREDENTIALS);
    return auth ? [[scheme.name, auth] as const] : [];
  });
  return auths.length > 0 ? Object.fromEntries(auths) : undefined;
}

/** Undefined where nothing was given. */
function oneAuth(scheme: Scheme, { secret, user, tokenUrl, scopes, place, keyName }: Credentials): Auth | undefined {
  if (secret === "") return undefined;
  const makers: Readonly<Record<AuthKind, () => Auth>> = {
    apiKey: () => ({ type: "apiKey", in: scheme.in ?? place, name: scheme.keyName ?? keyName.trim(), value: secret }),
    bearer: () => ({ type: "bearer", token: secret }),
    basic: () => ({ type: "basic", username: user, password: secret }),
    oauth2: () => ({
      type: "oauth2",
      tokenUrl: tokenUrl.trim(),
      clientId: user.trim(),
      clientSecret: secret,
      scopes: scopes.split(/\s+/).filter(Boolean),
      sendAs: "header",
    }),
  };
  return makers[scheme.type as AuthKind]?.();
}
