/**
 * Credentials for a REST API, as `zaguan.json` has them: one by itself, or several by the names of the document's security
 * schemes. One by itself is named before anything is checked, so that each mistake is told once and where it was made.
 */

import { z } from "zod";
import { isObject, TOKEN } from "../contract/rules.ts";
import type { Problem } from "./config-error.ts";
import { isHeaderName, isHeaderValue, isWebUrl } from "./http-schema.ts";
import { explain, strict } from "./issues.ts";
import type { ApiAuthConfig } from "./types.ts";

type Auths = Readonly<Record<string, ApiAuthConfig>>;

/** What credentials are called that have no name of their own: the usual ones. */
const USUAL = "";
const TYPES = ["apiKey", "bearer", "basic", "oauth2"] as const;
const PRINTABLE = /^[^\p{Cc}]*$/u;

const apiKey = strict({
  type: z.literal("apiKey").describe("A key in a header, the query, a cookie or the body."),
  in: z.enum(["header", "query", "cookie", "body"]).describe("Where the key goes."),
  name: z.string().min(1).max(256).describe("What the key is called there."),
  value: z.string().min(1).describe("The key."),
}).check((payload) => {
  const { in: place, name, value } = payload.value;
  const refuse = (key: string, message: string): unknown =>
    payload.issues.push({ code: "custom", input: payload.value, path: [key], message });
  if (payload.issues.length > 0) return;
  if ((place === "header" || place === "cookie") && !isHeaderName(name)) {
    refuse("name", `is not a possible name of a ${place}`);
  }
  if (place === "header" && !isHeaderValue(value)) refuse("value", "a header's value must be one line");
});

const bearer = strict({
  type: z.literal("bearer").describe("A token in the header Authorization."),
  token: z
    .string()
    .regex(TOKEN, { error: "expected a token, which is one word" })
    .describe("The token, without the word Bearer."),
});

const basic = strict({
  type: z.literal("basic").describe("A user and a password in the header Authorization."),
  username: z
    .string()
    .refine((text) => /^[^:\p{Cc}]*$/u.test(text), { error: 'expected a text without ":"' })
    .describe("The user."),
  password: z
    .string()
    .refine((text) => PRINTABLE.test(text), { error: "must be one line" })
    .describe("The password; may be empty."),
});

const oauth2 = strict({
  type: z.literal("oauth2").describe("OAuth 2.0 client credentials: a token is fetched before the first call."),
  tokenUrl: z
    .string()
    .refine(isWebUrl, { error: "expected a URL that begins with http:// or https://" })
    .describe("Where the token is fetched."),
  clientId: z.string().min(1).describe("The client's id."),
  clientSecret: z.string().min(1).describe("The client's secret."),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, { error: "a scope is one word" }))
    .default([])
    .describe("What the token is for."),
  sendAs: z
    .enum(["header", "body"])
    .default("header")
    .describe("How the client says who it is when it fetches a token."),
});

const auth = z.discriminatedUnion("type", [apiKey, bearer, basic, oauth2], {
  error: (issue) =>
    issue.code === "invalid_union"
      ? `expected one of ${TYPES.map((type) => JSON.stringify(type)).join(", ")}`
      : explain(issue),
});

/** The form by itself stands here for the JSON Schema alone: it is named before it is checked. */
export const authSchema: z.ZodType<Auths | ApiAuthConfig> = z.union([z.record(z.string(), auth), auth], {
  error: 'expected an object with a "type", or several of them by the names of security schemes',
});

/** The parsed file with all credentials under a name. */
export function withNamedAuths(file: unknown): unknown {
  if (!isObject(file) || !isObject(file["apiTools"])) return file;
  const apis = Object.entries(file["apiTools"]).map(([name, api]) => {
    return [name, isObject(api) && isAlone(api["auth"]) ? { ...api, auth: { [USUAL]: api["auth"] } } : api];
  });
  return { ...file, apiTools: Object.fromEntries(apis) };
}

/** Where a problem is in the file as it was written. */
export function authAsWritten(problem: Problem): Problem {
  if (!problem.path.startsWith("apiTools")) return problem;
  return { ...problem, path: problem.path.replace('.auth[""]', ".auth") };
}

/** Names that only a document's schemes can give a meaning to. */
export function namesOfSchemes(auths: object): string[] {
  return Object.keys(auths).filter((name) => name !== USUAL);
}

/** Of several, each is an object; of one, its type is none. */
function isAlone(value: unknown): boolean {
  return isObject(value) && Object.values(value).some((member) => !isObject(member));
}
