/** Credentials as somebody sends them: of one kind for a whole API, or by the names of its security schemes. */

import { z } from "zod";
import { HEADER_NAME, isObject } from "../contract/rules.ts";
import type { ApiAuth } from "../sources/api/operation.ts";
import type { GivenAuth } from "./contract.ts";

type Context = z.core.$RefinementCtx;

const IMPOSSIBLE_NAME = "is not a possible name of a header";
const NO_WEB_ADDRESS = "must be an http or https URL";

/** The first of these that does not hold is told alone. */
export const webAddress: z.ZodType<string, string> = z
  .url({ protocol: /^https?$/, error: NO_WEB_ADDRESS, abort: true })
  .refine((url) => !/[\s\p{Cc}\\]/u.test(url), { error: NO_WEB_ADDRESS, abort: true })
  .max(2_048)
  .refine((url) => new URL(url).username === "" && new URL(url).password === "", {
    error: "must not hold a name or a password: use auth",
  });

const oneLine = z.string().regex(/^[^\r\n\0]*$/, { error: "must be one line" });
const secret = oneLine.min(1).max(16_384);

export const headers: z.ZodType<Record<string, string>, Record<string, string>> = z.record(
  z.string().regex(HEADER_NAME, { error: IMPOSSIBLE_NAME }),
  oneLine.max(16_384),
);

const apiKey = z
  .strictObject({
    type: z.literal("apiKey"),
    in: z.enum(["header", "query", "cookie", "body"]),
    name: z.string().min(1).max(256).describe("Of the header, parameter, cookie or member that holds the key."),
    value: secret,
  })
  .refine(({ in: place, name }) => place === "query" || place === "body" || HEADER_NAME.test(name), {
    error: IMPOSSIBLE_NAME,
    path: ["name"],
  });

const oauth2 = z.strictObject({
  type: z.literal("oauth2"),
  tokenUrl: webAddress,
  clientId: z.string().min(1).max(1_024),
  clientSecret: z.string().min(1).max(16_384),
  scopes: z
    .array(z.string().regex(/^[^\s"\\]+$/, { error: "must be one word" }))
    .max(200)
    .default([]),
  sendAs: z.enum(["header", "body"]).default("header").describe("Where the token server wants the client's secret."),
});

const KINDS = [
  z.strictObject({ type: z.literal("none") }),
  apiKey,
  z.strictObject({ type: z.literal("bearer"), token: secret }),
  z.strictObject({
    type: z.literal("basic"),
    username: z
      .string()
      .max(1_024)
      .regex(/^[^:\r\n\0]*$/, { error: "must be one line without a colon" }),
    password: oneLine.max(16_384),
  }),
  oauth2,
] as const;

const TYPES: readonly string[] = ["none", "apiKey", "bearer", "basic", "oauth2"];

/** Which kind is meant is looked at first, so that what is wrong is said of that kind alone. */
export const API_AUTH: z.ZodType<ApiAuth> = z
  .preprocess(
    refusing((value, context) => {
      const type = isObject(value) ? value["type"] : undefined;
      if (!isObject(value)) context.addIssue({ code: "invalid_type", expected: "object", input: value });
      else if (type === undefined) {
        context.addIssue({ code: "invalid_type", expected: "string", input: undefined, path: ["type"] });
      } else if (!TYPES.includes(type as string)) {
        context.addIssue({ code: "invalid_value", values: [...TYPES], input: type, path: ["type"] });
      }
    }),
    z.discriminatedUnion("type", KINDS),
  )
  .meta({ id: "ApiAuth" });

/** The branch that was not meant says nothing but that it was not: then the other's words are told. */
const EITHER = z.union([
  z.preprocess(
    refusing((value, context) => refuseUnless(!isByScheme(value), value, context)),
    API_AUTH,
  ),
  z.preprocess(
    refusing((value, context) => refuseUnless(isByScheme(value), value, context)),
    z.record(z.string().min(1).max(256), API_AUTH),
  ),
]);

export const GIVEN_AUTH: z.ZodType<GivenAuth> = z
  .preprocess(
    refusing((value, context) => refuseUnless(isObject(value), value, context)),
    EITHER,
  )
  .describe("For every scheme, or by the names of the document's security schemes. Kept encrypted, never returned.");

/** No credentials have a member that is an object; credentials by name have nothing else. */
function isByScheme(value: unknown): boolean {
  if (!isObject(value)) return false;
  const members = Object.values(value);
  return members.length === 0 || members.some(isObject);
}

function refuseUnless(fits: boolean, value: unknown, context: Context): void {
  if (!fits) context.addIssue({ code: "invalid_type", expected: "object", input: value });
}

/** Looks, and passes on what it saw: nothing behind it is asked of a value that was refused. */
function refusing(look: (value: unknown, context: Context) => void): (value: unknown, context: Context) => unknown {
  return (value, context) => {
    look(value, context);
    return value;
  };
}
