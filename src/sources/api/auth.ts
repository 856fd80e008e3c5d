/** What an operation is called with besides its arguments: which credentials, where they go, and what of them is secret. */
import { secretsIn } from "../../security/entry-secrets.ts";
import { isFields } from "./arguments.ts";
import type { ApiAuth, ApiOperation, ApiOptions, TokenAuth } from "./operation.ts";
import { payloadOf } from "./token-request.ts";

/** As plain text; whoever writes them encodes them. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly cookies: readonly (readonly [string, string])[];
  readonly body: readonly (readonly [string, string])[];
}

export const NO_CREDENTIALS: Credentials = { headers: {}, query: [], cookies: [], body: [] };

/**
 * A scheme for which nothing was configured under its name gets the usual credentials. Nobody else's server gets any: they
 * were given for the API, and a document may name whatever servers its author likes.
 */
export function authsFor(
  operation: ApiOperation,
  { auths, baseUrl }: Pick<ApiOptions, "auths" | "baseUrl">,
): ApiAuth[] {
  if (!isAtHome(operation, baseUrl)) return [];
  const names = operation.security ?? [""];
  const found = names.map((name) => own(auths, name) ?? own(auths, ""));
  return [...new Set(found.filter((auth) => auth !== undefined))];
}

/** Whether an operation is where the API is. */
export function isAtHome({ server }: Pick<ApiOperation, "server">, baseUrl: string): boolean {
  return server === undefined || URL.parse(server, baseUrl)?.origin === URL.parse(baseUrl)?.origin;
}

export function needsToken(auth: ApiAuth): auth is TokenAuth {
  return auth.type === "oauth2" || auth.type === "tokenRequest";
}

/** `token` gives those that were fetched before. */
export function credentialsOf(auths: readonly ApiAuth[], token: (auth: TokenAuth) => string): Credentials {
  return auths.map((auth) => single(auth, token)).reduce(both, NO_CREDENTIALS);
}

/** Every form in which a secret may come back. */
export function secretsOf(
  options: Pick<ApiOptions, "auths" | "headers"> & Partial<Pick<ApiOptions, "baseUrl" | "operations">>,
): string[] {
  const { headers, baseUrl: url, operations = [] } = options;
  const paths = operations.flatMap(({ path }) => secretsIn({ url: path }));
  return [...Object.values(options.auths).flatMap(secretsOfAuth), ...secretsIn({ headers, url }), ...paths];
}

export function basic(username: string, password: string): string {
  return Buffer.from(`${username}:${password}`, "utf8").toString("base64");
}

function single(auth: ApiAuth, token: (auth: TokenAuth) => string): Credentials {
  switch (auth.type) {
    case "none":
      return NO_CREDENTIALS;
    case "bearer":
      return authorization(`Bearer ${auth.token}`);
    case "basic":
      return authorization(`Basic ${basic(auth.username, auth.password)}`);
    case "basicRaw":
      return authorization(`Basic ${rawBasic(auth.value)}`);
    case "oauth2":
      return authorization(`Bearer ${token(auth)}`);
    case "tokenRequest":
      return { ...NO_CREDENTIALS, headers: { [auth.header.toLowerCase()]: `${auth.prefix}${token(auth)}` } };
    case "apiKey":
      return apiKey(auth);
  }
}

function apiKey({ in: place, name, value }: Extract<ApiAuth, { type: "apiKey" }>): Credentials {
  const pair = [[name, value]] as const;
  if (place === "header") return { ...NO_CREDENTIALS, headers: { [name.toLowerCase()]: value } };
  if (place === "query") return { ...NO_CREDENTIALS, query: pair };
  return place === "cookie" ? { ...NO_CREDENTIALS, cookies: pair } : { ...NO_CREDENTIALS, body: pair };
}

function authorization(value: string): Credentials {
  return { ...NO_CREDENTIALS, headers: { authorization: value } };
}

function both(a: Credentials, b: Credentials): Credentials {
  return {
    headers: { ...a.headers, ...b.headers },
    query: [...a.query, ...b.query],
    cookies: [...a.cookies, ...b.cookies],
    body: [...a.body, ...b.body],
  };
}

function secretsOfAuth(auth: ApiAuth): string[] {
  switch (auth.type) {
    case "none":
      return [];
    case "bearer":
      return [auth.token];
    case "basic":
      return [auth.password, basic(auth.username, auth.password)];
    case "basicRaw":
      return [rawBasic(auth.value), passwordIn(rawBasic(auth.value))];
    case "oauth2":
      return [auth.clientSecret, basic(auth.clientId, auth.clientSecret)];
    case "tokenRequest":
      return secretsInPayload(payloadOf(auth));
    case "apiKey":
      return withoutScheme(auth.value);
  }
}

/** Members of a token request that are no secrets: they stand in honest answers too, and must not be redacted. */
const NOT_SECRET =
  /^(?:grant_?type|response_?type|scopes?|audience|resource|realm|tenant|domain|client_?id|user(?:_?(?:name|id))?|login|e?-?mail|identifier|account|name)$/i;

function secretsInPayload(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(secretsInPayload);
  if (!isFields(value)) return typeof value === "number" ? [String(value)] : [];
  return Object.entries(value).flatMap(([name, each]) => (NOT_SECRET.test(name) ? [] : secretsInPayload(each)));
}

/** Some store the scheme along with the rest. */
function rawBasic(value: string): string {
  return value.replace(/^basic\s+/i, "");
}

function passwordIn(encoded: string): string {
  const [, ...password] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  return password.join(":");
}

/** `Token abc` is a secret, and so is `abc`. */
function withoutScheme(value: string): string[] {
  return [value, ...value.split(/\s+/).slice(1)];
}

function own(auths: ApiOptions["auths"], name: string): ApiAuth | undefined {
  return Object.hasOwn(auths, name) ? auths[name] : undefined;
}
