/** Security schemes, without any secret, and which of them an operation asks for. */
import { isObject } from "../contract/rules.ts";
import type { ApiAuth } from "../sources/api/operation.ts";
import { compact, type Form, formAt, listAt, member, type References, reasonOf, textAt } from "./lookup.ts";

/** What a person has to give for one scheme. */
export interface ReadScheme {
  readonly name: string;
  readonly type: ApiAuth["type"];
  readonly description?: string;
  /** Where an API key is sent. */
  readonly in?: "header" | "query" | "cookie";
  readonly keyName?: string;
  /** For OAuth client credentials. */
  readonly tokenUrl?: string;
  readonly scopes?: readonly string[];
}

export interface Skipped {
  readonly where: string;
  readonly reason: string;
}

interface ReadSchemes {
  readonly schemes: readonly ReadScheme[];
  readonly skipped: readonly Skipped[];
}

export function schemesOf(root: Form, references: References): ReadSchemes {
  const schemes: ReadScheme[] = [];
  const skipped: Skipped[] = [];
  for (const [name, raw] of Object.entries(formAt(formAt(root, "components"), "securitySchemes"))) {
    const where = `components.securitySchemes.${name}`;
    const found = attempt(() => schemeOf(name, references.form(raw, where)));
    if (typeof found === "string") skipped.push({ where, reason: found });
    else schemes.push(found);
  }
  return { schemes, skipped };
}

function attempt(read: () => ReadScheme | string): ReadScheme | string {
  try {
    return read();
  } catch (cause) {
    return reasonOf(cause);
  }
}

/** The scheme, or why it cannot be used. */
function schemeOf(name: string, raw: Form): ReadScheme | string {
  const description = textAt(raw, "description")?.slice(0, 500);
  const type = textAt(raw, "type") ?? "";
  if (type === "apiKey") return keyOf(name, description, raw);
  if (type === "oauth2") return oauthOf(name, description, raw);
  // Somebody signs in elsewhere; what is sent is a token.
  if (type === "openIdConnect") return compact<ReadScheme>({ name, type: "bearer", description });
  const scheme = textAt(raw, "scheme")?.toLowerCase();
  if (type === "http" && (scheme === "bearer" || scheme === "basic")) {
    return compact<ReadScheme>({ name, type: scheme, description });
  }
  return `${[type, scheme].filter(Boolean).join(" ") || "a scheme without a type"} is not supported`;
}

function keyOf(name: string, description: string | undefined, raw: Form): ReadScheme | string {
  const place = raw["in"];
  const keyName = textAt(raw, "name");
  if (keyName === undefined || (place !== "header" && place !== "query" && place !== "cookie")) {
    return "an API key needs a name and a place: header, query or cookie";
  }
  return compact<ReadScheme>({ name, type: "apiKey", description, in: place, keyName });
}

/** The other flows need a person: their token is given as it is. */
function oauthOf(name: string, description: string | undefined, raw: Form): ReadScheme {
  const flow = member(member(raw, "flows"), "clientCredentials");
  const tokenUrl = textAt(flow, "tokenUrl");
  if (tokenUrl === undefined) return compact<ReadScheme>({ name, type: "bearer", description });
  const scopes = Object.keys(formAt(flow, "scopes"));
  return compact<ReadScheme>({ name, type: "oauth2", description, tokenUrl, scopes });
}

/**
 * The first alternative that can be met; undefined where the document says nothing. A way without credentials is taken
 * only where there is no other that can be met: who has a key gets more for it.
 */
export function securityOf(root: Form, operation: Form, usable: ReadonlySet<string>): readonly string[] | undefined {
  const holder = Array.isArray(operation["security"]) ? operation : root;
  if (!Array.isArray(member(holder, "security"))) return undefined;
  const ways = listAt(holder, "security")
    .filter(isObject)
    .map((way) => Object.keys(way));
  const asking = ways.filter((way) => way.length > 0);
  const met = asking.find((way) => way.every((name) => usable.has(name)));
  return met ?? (asking.length < ways.length ? [] : (asking[0] ?? []));
}
