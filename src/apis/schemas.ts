/** What the endpoints of imported APIs take and give, as schemas: requests are checked by them, and OpenAPI shows them. */

import { z } from "zod";
import { GIVEN_AUTH, headers, webAddress } from "./auth-schema.ts";
import type { ImportChange, NewImport, RefreshInput } from "./contract.ts";
import { sourceName } from "./handsai/fields.ts";

/** A strict object that is this when it has passed. */
type BodyOf<T> = z.ZodObject<z.core.$ZodLooseShape, z.core.$strict> & z.ZodType<T>;

const document = z
  .string()
  .min(1)
  .describe("The text of an OpenAPI document, JSON or YAML. The whole request may have 16 MB.");

const SETTINGS = {
  name: sourceName
    .optional()
    .describe("Stands before the names of its tools. Not given: made of the document's title."),
  baseUrl: webAddress.optional().describe("Where the API is, instead of the first server in the document."),
  tags: z.array(z.string().min(1).max(256)).max(1_000).optional().describe("Only operations with one of these."),
  paths: z
    .array(z.string().min(1).max(2_048))
    .max(2_000)
    .optional()
    .describe("Only these: `/pets`, `/pets/*`, `GET /pets`."),
  auth: GIVEN_AUTH.optional(),
  headers: headers.optional().describe("Sent with every request. Kept encrypted, never returned."),
  callsPerMinute: z.int().min(1).max(1_000_000).optional().describe("Not given: as many as come."),
  concurrency: z.int().min(1).max(10_000).optional().describe("Calls at once."),
};

export const NEW_IMPORT: BodyOf<NewImport> = z
  .strictObject({
    ...SETTINGS,
    url: webAddress.optional().describe("Where the document is."),
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

export const IMPORT_CHANGE: BodyOf<ImportChange> = z
  .strictObject({
    ...SETTINGS,
    callsPerMinute: SETTINGS.callsPerMinute.nullable().describe("Null takes the limit away."),
    concurrency: SETTINGS.concurrency.nullable().describe("Null takes the limit away."),
    enabled: z.boolean().optional(),
  })
  .meta({ id: "ApiChange", description: "What is absent stays; `tags` and `paths` count from the next refresh on." });

export const REFRESH_INPUT: BodyOf<RefreshInput> = z
  .strictObject({
    document: document.optional(),
    dryRun: z.boolean().optional().describe("Says what would change, and changes nothing."),
  })
  .meta({ id: "ApiRefresh", description: "`document` is needed where the API did not come from a URL." });

const SCHEME_FIELDS = {
  name: z.string(),
  type: z.string(),
  description: z.string().optional(),
  in: z.enum(["header", "query", "cookie"]).optional(),
  keyName: z.string().optional(),
  tokenUrl: z.string().optional(),
  scopes: z.array(z.string()).optional(),
};

const SKIPPED = z
  .array(z.object({ where: z.string(), reason: z.string() }))
  .describe("What could not be read, and why.");

export const SHOWN_OPERATION: z.ZodType = z
  .object({ name: z.string(), method: z.string(), path: z.string(), description: z.string() })
  .meta({ id: "ApiOperation" });

export const IMPORT_PREVIEW: z.ZodType = z
  .object({
    name: z.string(),
    title: z.string(),
    baseUrl: z.string().nullable(),
    servers: z.array(z.string()),
    tags: z.array(z.string()).describe("Of the whole document, for choosing."),
    schemes: z.array(z.object(SCHEME_FIELDS)).describe("What it wants credentials for."),
    operations: z.array(SHOWN_OPERATION),
    skipped: SKIPPED,
  })
  .meta({ id: "ApiPreview" });

export const IMPORTED_API: z.ZodType = z
  .object({
    id: z.string(),
    name: z.string(),
    title: z.string(),
    url: z.string().nullable(),
    baseUrl: z.string(),
    enabled: z.boolean(),
    tags: z.array(z.string()),
    paths: z.array(z.string()),
    schemes: z.array(z.object({ ...SCHEME_FIELDS, given: z.boolean().describe("There are credentials for it.") })),
    headerNames: z.array(z.string()),
    callsPerMinute: z.int().nullable(),
    concurrency: z.int().nullable(),
    tools: z.int(),
    skipped: SKIPPED,
    createdUtc: z.string(),
    updatedUtc: z.string(),
  })
  .meta({ id: "Api" });

export const REFRESHED: z.ZodType = z
  .object({
    api: IMPORTED_API,
    changes: z
      .object({
        added: z.array(z.string()),
        removed: z.array(z.string()),
        changed: z.array(z.object({ name: z.string(), members: z.array(z.string()) })),
      })
      .describe("By the names of tools."),
    skipped: SKIPPED,
  })
  .meta({ id: "RefreshedApi" });
