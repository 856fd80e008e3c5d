/** How a registered server is reached: what was said of it openly, together with what is kept under seal. */
import type { ServerConfig, ServerPolicy } from "../config/types.ts";
import { ZaguanError } from "../errors.ts";
import type { Secrets } from "../security/secrets.ts";
import type { ServerRecord } from "../store/registry.ts";

/** What nobody gets to see again. */
export interface Sealed {
  readonly credentials?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const POLICY: ServerPolicy = {
  trusted: false,
  allowPrivate: false,
  repeatable: [],
  cacheSeconds: {},
};

export function seal(secrets: Secrets, name: string, sealed: Sealed): string | undefined {
  const isEmpty = Object.values(sealed).every((value) => value === undefined || value === null);
  return isEmpty ? undefined : secrets.seal(sealed, contextOf(name));
}

export function unseal(secrets: Secrets, record: ServerRecord): Sealed {
  if (record.sealed === undefined) return {};
  try {
    return secrets.open(record.sealed, contextOf(record.name)) as Sealed;
  } catch (cause) {
    const reason = "its credentials cannot be opened: they were sealed with another secret key";
    throw new ZaguanError("SOURCE_UNAVAILABLE", {
      params: { source: record.name, reason },
      delivery: "not_sent",
      cause,
    });
  }
}

export type Open = Pick<ServerRecord, "baseUrl" | "command" | "args" | "authType" | "allowPrivate">;

export function serverConfigOf(record: Open, sealed: Sealed): ServerConfig {
  const policy = { ...POLICY, allowPrivate: record.allowPrivate };
  const open = { args: record.args ?? [], env: sealed.env ?? {}, disabled: false, policy };
  if (record.command !== undefined) return { ...open, type: "stdio", command: record.command, headers: {} };
  const headers = { ...sealed.headers, ...credentialHeaders(record.authType, sealed.credentials) };
  const type = /^wss?:/i.test(record.baseUrl ?? "") ? "websocket" : "http";
  return { ...open, type, url: record.baseUrl, headers };
}

/** A key goes into `X-API-Key` unless another header is named; a token of OAuth is a bearer. */
function credentialHeaders(authType: ServerRecord["authType"], credentials: unknown): Record<string, string> {
  const value = secretIn(credentials);
  if (authType === "none" || value === undefined) return {};
  if (authType === "oauth") return { authorization: `Bearer ${value}` };
  const header = (credentials as { header?: unknown }).header;
  return { [typeof header === "string" ? header.toLowerCase() : "x-api-key"]: value };
}

const SECRET_NAMES = ["value", "apiKey", "key", "token", "accessToken", "access_token"] as const;

/** Real clients send a bare string, or an object with one of a few names. */
function secretIn(credentials: unknown): string | undefined {
  if (typeof credentials === "string") return credentials;
  if (typeof credentials !== "object" || credentials === null) return undefined;
  const given = credentials as Readonly<Record<string, unknown>>;
  const found = SECRET_NAMES.map((name) => given[name]).find((value) => typeof value === "string");
  return found as string | undefined;
}

/** What is sealed for one server opens for no other. */
function contextOf(name: string): string {
  return `server:${name.toLowerCase()}`;
}
