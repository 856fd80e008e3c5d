/** How a registered server is reached: what was said of it openly, together with what is kept under seal. */
import { isDeepStrictEqual } from "node:util";
import type { ServerConfig, ServerPolicy } from "../config/types.ts";
import type { NewServer } from "../contract/server.ts";
import { maskedAddress, maskedArguments } from "../security/entry-secrets.ts";
import type { Secrets } from "../security/secrets.ts";
import type { ServerRecord } from "../store/registry.ts";
import { cannotUnseal } from "./failures.ts";

/** What nobody gets to see again. */
export type Sealed = Pick<NewServer, "credentials" | "headers" | "env">;

/** Under seal, too: an address and arguments with a secret in them, which are told without it. */
export type SealedServer = Sealed & Place;
type Place = Pick<NewServer, "baseUrl" | "args">;

const POLICY: ServerPolicy = {
  trusted: false,
  allowPrivate: false,
  repeatable: [],
  cacheSeconds: {},
};

/** What may be told of an address and arguments. */
export function tellable({ baseUrl, args }: Place): Place {
  return { baseUrl: baseUrl && maskedAddress(baseUrl), args: args && maskedArguments(args) };
}

/** Of an address and arguments, what can be told is not sealed. */
export function seal(secrets: Secrets, name: string, server: SealedServer): string | undefined {
  const { credentials, headers, env, baseUrl, args } = server;
  const open = tellable(server);
  const sealed: SealedServer = {
    credentials,
    headers,
    env,
    ...(open.baseUrl !== baseUrl && { baseUrl }),
    ...(!isDeepStrictEqual(open.args, args) && { args }),
  };
  const isEmpty = Object.values(sealed).every((value) => value === undefined || value === null);
  return isEmpty ? undefined : secrets.seal(sealed, contextOf(name));
}

export function unseal(secrets: Secrets, record: ServerRecord): SealedServer {
  if (record.sealed === undefined) return {};
  try {
    return secrets.open(record.sealed, contextOf(record.name)) as SealedServer;
  } catch (cause) {
    throw cannotUnseal(record.name, cause);
  }
}

type Open = Pick<ServerRecord, "baseUrl" | "command" | "args" | "authType" | "allowPrivate">;

export function serverConfigOf(record: Open, sealed: SealedServer): ServerConfig {
  const policy = { ...POLICY, allowPrivate: record.allowPrivate };
  const url = sealed.baseUrl ?? record.baseUrl;
  const open = { args: sealed.args ?? record.args ?? [], env: sealed.env ?? {}, disabled: false, policy };
  if (record.command !== undefined) return { ...open, type: "stdio", command: record.command, headers: {} };
  const headers = { ...sealed.headers, ...credentialHeaders(record.authType, sealed.credentials) };
  const type = /^wss?:/i.test(url ?? "") ? "websocket" : "http";
  return { ...open, type, url, headers };
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
export function contextOf(name: string): string {
  return `server:${name.toLowerCase()}`;
}
