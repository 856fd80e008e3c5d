/** How an API is reached: what may be told and what is sealed, and both together as what a source needs. */
import { unmasked } from "../../security/entry-secrets.ts";
import { isSecretHeader } from "../../security/secret-rules.ts";
import type { ApiAuth, ApiOptions } from "../../sources/api/operation.ts";
import type { ConnectionInput, ConnectionSecrets, KeyPlace, OpenConnection } from "./types.ts";

export interface DividedConnection {
  readonly open: OpenConnection;
  readonly secrets: ConnectionSecrets;
}

/**
 * Secrets that are not said stay what they were, if they go where they went before: not to another origin. Those that
 * this kind of authentication does not use are not kept.
 */
export function divide(input: ConnectionInput, before?: DividedConnection): DividedConnection {
  const open = openPart(input, before?.open);
  const known = before ? stillGood(open, before) : {};
  const secrets: ConnectionSecrets = {
    apiKeyValue: usesKey(open) ? saidOr(input.apiKeyValue, known.apiKeyValue) : undefined,
    customHeaders: headersOf(input.customHeaders, known.customHeaders),
    clientSecret: usesOAuth(open) ? saidOr(input.clientSecret, known.clientSecret) : undefined,
    dynamicAuthPayload: usesTokens(open) ? saidOr(input.dynamicAuthPayload, known.dynamicAuthPayload) : undefined,
  };
  // Without those that are not there: what is kept as JSON is compared with this.
  return { open, secrets: Object.fromEntries(Object.entries(secrets).filter(([, secret]) => secret !== undefined)) };
}

/** What was shown of an address may be sent back. */
function openPart(input: ConnectionInput, before: OpenConnection | undefined): OpenConnection {
  const { authenticationType, apiKeyLocation, apiKeyName, oauth2, dynamicAuth } = input;
  return {
    baseUrl: unmasked(input.baseUrl, before?.baseUrl),
    authenticationType,
    apiKeyLocation,
    apiKeyName,
    oauth2: oauth2 && { ...oauth2, tokenUrl: unmasked(oauth2.tokenUrl, before?.oauth2?.tokenUrl) },
    dynamicAuth: dynamicAuth && { ...dynamicAuth, url: unmasked(dynamicAuth.url, before?.dynamicAuth?.url) },
  };
}

/** Credentials that were never given are not sent, nor is anything in their place. */
export function optionsOf(
  open: OpenConnection,
  secrets: ConnectionSecrets,
): Pick<ApiOptions, "baseUrl" | "auths" | "headers"> {
  const auth = authOf(open, secrets);
  const headers = secrets.customHeaders ?? {};
  return { baseUrl: open.baseUrl, auths: { ...hidden(headers), ...(auth && { "": auth }) }, headers };
}

/** Undefined where no key is kept, or it is sent in a header. */
export function keyPlaceOf(open: OpenConnection, hasKey: boolean): KeyPlace | undefined {
  const auth = hasKey && usesKey(open) ? keyAuth(open, "") : undefined;
  if (auth?.type !== "apiKey") return undefined;
  return auth.in === "query" || auth.in === "body" ? { in: auth.in, name: auth.name } : undefined;
}

export function headerNamesOf({ customHeaders = {} }: ConnectionSecrets): readonly string[] {
  return Object.keys(customHeaders);
}

export function whichSecrets(secrets: ConnectionSecrets): Readonly<Record<keyof ConnectionSecrets, boolean>> {
  return {
    apiKeyValue: secrets.apiKeyValue !== undefined,
    customHeaders: headerNamesOf(secrets).length > 0,
    clientSecret: secrets.clientSecret !== undefined,
    dynamicAuthPayload: secrets.dynamicAuthPayload !== undefined,
  };
}

/** What gives tokens out has an origin of its own, which must be the same as well. */
function stillGood(open: OpenConnection, { open: old, secrets }: DividedConnection): ConnectionSecrets {
  if (!isSameOrigin(open.baseUrl, old.baseUrl)) return {};
  const { clientSecret, dynamicAuthPayload, ...others } = secrets;
  return {
    ...others,
    ...(isSameOrigin(open.oauth2?.tokenUrl, old.oauth2?.tokenUrl) && { clientSecret }),
    ...(isSameOrigin(open.dynamicAuth?.url, old.dynamicAuth?.url) && { dynamicAuthPayload }),
  };
}

function isSameOrigin(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && new URL(one).origin === new URL(other).origin;
}

function saidOr(said: string | undefined, known: string | undefined): string | undefined {
  return isSaid(said) ? said : known;
}

/** All are replaced; a name whose value is not said keeps the one that it had. */
function headersOf(
  said: ConnectionSecrets["customHeaders"],
  known: ConnectionSecrets["customHeaders"] = {},
): ConnectionSecrets["customHeaders"] {
  const values = new Map(Object.entries(known).map(([name, value]) => [name.toLowerCase(), value]));
  const headers = Object.entries(said ?? known).flatMap(([name, value]) => {
    const kept = saidOr(value, values.get(name.toLowerCase()));
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return headers.length > 0 ? Object.fromEntries(headers) : undefined;
}

const WITH_KEY: ReadonlySet<string> = new Set(["API_KEY", "BEARER_TOKEN", "BASIC_AUTH"]);

function usesKey({ authenticationType, dynamicAuth }: OpenConnection): boolean {
  return WITH_KEY.has(authenticationType) && !dynamicAuth;
}

function usesTokens({ authenticationType, dynamicAuth }: OpenConnection): boolean {
  return WITH_KEY.has(authenticationType) && dynamicAuth !== null;
}

function usesOAuth({ authenticationType, oauth2 }: OpenConnection): boolean {
  return authenticationType === "OAUTH2" && oauth2 !== null;
}

function authOf(open: OpenConnection, secrets: ConnectionSecrets): ApiAuth | undefined {
  const { clientSecret, apiKeyValue } = secrets;
  if (open.oauth2 && usesOAuth(open) && clientSecret !== undefined) {
    return { type: "oauth2", ...open.oauth2, clientSecret };
  }
  if (usesTokens(open)) return tokenRequestOf(open, secrets);
  return usesKey(open) && apiKeyValue !== undefined ? keyAuth(open, apiKeyValue) : undefined;
}

function keyAuth(open: OpenConnection, value: string): ApiAuth | undefined {
  if (open.authenticationType === "BEARER_TOKEN") return { type: "bearer", token: value };
  if (open.authenticationType === "BASIC_AUTH") return basicAuth(value);
  const place = PLACES[open.apiKeyLocation];
  return place && { type: "apiKey", in: place, name: open.apiKeyName ?? USUAL_HEADER, value };
}

const USUAL_HEADER = "X-API-Key";
const PLACES = { NONE: undefined, HEADER: "header", QUERY_PARAMETER: "query", IN_BODY: "body" } as const;

/** base64 has no colon; what has one is a pair that nobody has encoded yet. */
function basicAuth(value: string): ApiAuth {
  const at = value.indexOf(":");
  if (at < 0) return { type: "basicRaw", value };
  return { type: "basic", username: value.slice(0, at), password: value.slice(at + 1) };
}

function tokenRequestOf(open: OpenConnection, { dynamicAuthPayload = "{}" }: ConnectionSecrets): ApiAuth | undefined {
  const { dynamicAuth } = open;
  if (!dynamicAuth) return undefined;
  const { url, method, payloadType, payloadLocation, tokenPath, invalidationKeywords } = dynamicAuth;
  return {
    type: "tokenRequest",
    url,
    method,
    payload: dynamicAuthPayload,
    tokenPath,
    invalidation: invalidationKeywords,
    payloadType: payloadType === "JSON" ? "json" : "form",
    payloadIn: payloadLocation === "BODY" ? "body" : "query",
    ...tokenHeader(open),
  };
}

function tokenHeader({ authenticationType, apiKeyName }: OpenConnection): { header: string; prefix: string } {
  if (authenticationType === "API_KEY") return { header: (apiKeyName ?? USUAL_HEADER).toLowerCase(), prefix: "" };
  return { header: "authorization", prefix: authenticationType === "BASIC_AUTH" ? "Basic " : "Bearer " };
}

/** No operation names these: they are here so that a header's value is taken out of answers as every secret is. */
function hidden(headers: Readonly<Record<string, string>>): ApiOptions["auths"] {
  const plain = plainAmong(headers);
  const secret = Object.entries(headers).filter(([name]) => !Object.hasOwn(plain, name));
  return Object.fromEntries(secret.map(([name, token]) => [`header ${name}`, { type: "bearer", token }]));
}

/** Stands for a secret in an export. Wherever it comes back, it is not the secret, and it is never sent as one. */
export const PLACEHOLDER = "<YOUR_API_KEY>";

/** Blank texts and placeholders say nothing. */
export function isSaid(text: string | null | undefined): text is string {
  return typeof text === "string" && text.trim() !== "" && !text.includes(PLACEHOLDER);
}

/** The headers that may be shown, by their names and by what they hold. */
export function plainAmong(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => !isSecretHeader(name, value, true)));
}
