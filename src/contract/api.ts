/** A REST API whose operations are tools: its credentials, as the file, the REST door and the store have them, and its import. */
import { z } from "zod";
import { headers, NO_HEADER_VALUE, type Of, SECRET_LENGTH, sourceName, token, webAddress } from "./fields.ts";
import { areByScheme, HEADER_NAME, HEADER_VALUE, isObject } from "./rules.ts";

const webUrl = webAddress("auth");
const secret = z.string().min(1).max(SECRET_LENGTH);
const text = z.string().max(SECRET_LENGTH);

const apiKey = z
  .strictObject({
    type: z.literal("apiKey").describe("A key in a header, the query, a cookie or the body."),
    in: z.enum(["header", "query", "cookie", "body"]).describe("Where the key goes."),
    name: z.string().min(1).max(256).describe("Of the header, parameter, cookie or member that holds the key."),
    value: secret.describe("The key."),
  })
  .refine(({ in: place, name }) => place === "query" || place === "body" || HEADER_NAME.test(name), {
    error: ({ input }) => `is not a possible name of a ${(input as { readonly in: string }).in}`,
    path: ["name"],
  })
  .refine(({ in: place, value }) => place !== "header" || HEADER_VALUE.test(value), {
    error: NO_HEADER_VALUE,
    path: ["value"],
  });

/** OAuth 2.0 client credentials. */
export const OAuthClient = z.strictObject({
  type: z.literal("oauth2").describe("OAuth 2.0 client credentials: a token is fetched before the first call."),
  tokenUrl: webUrl.describe("Where the token is fetched."),
  clientId: z.string().min(1).max(1_024).describe("The client's id."),
  clientSecret: secret.describe("The client's secret."),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, { error: "must be one word" }))
    .max(200)
    .default([])
    .describe("What the token is for."),
  sendAs: z.enum(["header", "body"]).default("header").describe("Where the token server wants the client's secret."),
});
export type OAuthClient = Of<typeof OAuthClient>;

export const ApiAuth = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("none").describe("Nothing is sent.") }),
    apiKey,
    z.strictObject({
      type: z.literal("bearer").describe("A token in the header Authorization."),
      token: token.describe("The token, without the word Bearer."),
    }),
    z.strictObject({
      type: z.literal("basic").describe("A user and a password in the header Authorization."),
      username: text
        .refine((said) => /^[^:\p{Cc}]*$/u.test(said), { error: "must be one line without a colon" })
        .describe("The user."),
      password: text
        .refine((said) => /^\P{Cc}*$/u.test(said), { error: "must be one line" })
        .describe("The password; may be empty."),
    }),
    OAuthClient,
  ])
  .meta({ id: "ApiAuth" });
export type ApiAuth = Of<typeof ApiAuth>;

/** Refuses a whole value that is not meant here, so that nothing more is said of it. */
function onlyIf<Schema extends z.ZodType>(isMeant: (value: unknown) => boolean, schema: Schema) {
  return z.preprocess((value, context) => {
    if (!isMeant(value)) context.addIssue({ code: "invalid_type", expected: "object", input: value });
    return value;
  }, schema);
}

export const GivenAuth = onlyIf(
  isObject,
  z.union([
    onlyIf((value) => !areByScheme(value), ApiAuth),
    onlyIf(areByScheme, z.record(z.string().min(1).max(256), ApiAuth)),
  ]),
).describe("For every scheme, or by the names of the document's security schemes. Kept encrypted, never returned.");
export type GivenAuth = Of<typeof GivenAuth>;

const document = z
  .string()
  .min(1)
  .describe("The text of an OpenAPI document, JSON or YAML. The whole request may have 16 MB.");

const settings = {
  name: sourceName
    .optional()
    .describe("Stands before the names of its tools. Not given: made of the document's title."),
  baseUrl: webUrl.optional().describe("Where the API is, instead of the first server in the document."),
  tags: z.array(z.string().min(1).max(256)).max(1_000).optional().describe("Only operations with one of these."),
  paths: z
    .array(z.string().min(1).max(2_048))
    .max(2_000)
    .optional()
    .describe("Only these: `/pets`, `/pets/*`, `GET /pets`."),
  auth: GivenAuth.optional(),
  headers: headers.optional().describe("Sent with every request. Kept encrypted, never returned."),
  callsPerMinute: z.int().min(1).max(1_000_000).optional().describe("Not given: as many as come."),
  concurrency: z.int().min(1).max(10_000).optional().describe("Calls at once."),
};

export const NewImport = z
  .strictObject({
    ...settings,
    url: webUrl.optional().describe("Where the document is."),
    document: document.optional(),
  })
  .refine((input) => input.url !== undefined || input.document !== undefined, {
    params: { say: "rule.missing" },
    path: ["url"],
  })
  .refine((input) => input.url === undefined || input.document === undefined, {
    params: { say: "rule.never" },
    path: ["document"],
  })
  .meta({ id: "NewApi", description: "Either `url` or `document` is needed." });
export type NewImport = Of<typeof NewImport>;

export const ImportChange = z
  .strictObject({
    ...settings,
    callsPerMinute: settings.callsPerMinute.nullable().describe("Null takes the limit away."),
    concurrency: settings.concurrency.nullable().describe("Null takes the limit away."),
    enabled: z.boolean().optional(),
  })
  .meta({ id: "ApiChange", description: "What is absent stays; `tags` and `paths` count from the next refresh on." });
export type ImportChange = Of<typeof ImportChange>;

export const RefreshInput = z
  .strictObject({
    document: document.optional(),
    dryRun: z.boolean().optional().describe("Says what would change, and changes nothing."),
  })
  .meta({ id: "ApiRefresh", description: "`document` is needed where the API did not come from a URL." });
export type RefreshInput = Of<typeof RefreshInput>;

/** What a person has to give for one security scheme of a document. */
const scheme = z.object({
  name: z.string(),
  type: z.string(),
  description: z.string().optional(),
  in: z.enum(["header", "query", "cookie"]).optional(),
  keyName: z.string().optional(),
  tokenUrl: z.string().optional(),
  scopes: z.array(z.string()).optional(),
});

const skipped = z
  .array(z.object({ where: z.string(), reason: z.string() }))
  .describe("What could not be read, and why.");

export const ShownOperation = z
  .object({ name: z.string(), method: z.string(), path: z.string(), description: z.string() })
  .meta({ id: "ApiOperation" });
export type ShownOperation = Of<typeof ShownOperation>;

export const ImportPreview = z
  .object({
    name: z.string(),
    title: z.string(),
    baseUrl: z.string().nullable(),
    servers: z.array(z.string()),
    tags: z.array(z.string()).describe("Of the whole document, for choosing."),
    schemes: z.array(scheme).describe("What it wants credentials for."),
    operations: z.array(ShownOperation),
    skipped,
  })
  .meta({ id: "ApiPreview" });
export type ImportPreview = Of<typeof ImportPreview>;

export const ImportedApi = z
  .object({
    id: z.string(),
    name: z.string(),
    title: z.string(),
    url: z.string().nullable(),
    baseUrl: z.string(),
    enabled: z.boolean(),
    tags: z.array(z.string()),
    paths: z.array(z.string()),
    schemes: z.array(scheme.extend({ given: z.boolean().describe("There are credentials for it.") })),
    headerNames: z.array(z.string()),
    callsPerMinute: z.int().nullable(),
    concurrency: z.int().nullable(),
    tools: z.int(),
    skipped,
    createdUtc: z.string(),
    updatedUtc: z.string(),
  })
  .meta({ id: "Api" });
export type ImportedApi = Of<typeof ImportedApi>;

export const Refreshed = z
  .object({
    api: ImportedApi,
    changes: z
      .object({
        added: z.array(z.string()),
        removed: z.array(z.string()),
        changed: z.array(z.object({ name: z.string(), members: z.array(z.string()) })),
      })
      .describe("By the names of tools."),
    skipped,
  })
  .meta({ id: "RefreshedApi" });
export type Refreshed = Of<typeof Refreshed>;
