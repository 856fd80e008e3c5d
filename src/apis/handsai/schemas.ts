/** What HandsAI's endpoints take and give, as schemas: requests are checked by them, and OpenAPI shows them. */
import { z } from "zod";
import { sourceName } from "../../contract/fields.ts";
import { CONNECTION_FIELDS, checkConnection, connectionOf } from "./connection-schema.ts";
import { label, readOnly, toolCode } from "./fields.ts";
import { LOOSE_TOOL_FIELDS, STRICT_TOOL_FIELDS, toolOf } from "./tool-schema.ts";
import type { ProviderInput, ToolInput } from "./types.ts";

const TOOL_SHAPE = {
  ...STRICT_TOOL_FIELDS,
  code: sourceName.describe("The tool's name at every door."),
  ...CONNECTION_FIELDS,
  id: readOnly,
  provider: readOnly,
  healthy: readOnly,
  lastHealthCheck: readOnly,
  createdAt: readOnly,
  updatedAt: readOnly,
};

/** One tool by itself. Takes back what was answered. */
export const NEW_TOOL: z.ZodType<ToolInput> = z
  .strictObject(TOOL_SHAPE)
  .superRefine(checkConnection)
  .transform((given) => ({ ...toolOf(given), ...connectionOf(given) }))
  .meta({ id: "NewApiTool" });

/** Some of its fields; what they make of the whole is checked when it is known. */
export const TOOL_CHANGE: z.ZodType<Readonly<Record<string, unknown>>> = z
  .strictObject(Object.fromEntries(Object.entries(TOOL_SHAPE).map(([name, field]) => [name, field.nullish()])))
  .meta({ id: "ApiToolChange", description: "What is absent or null stays as it is." });

/** Exports of other versions have more in them, which is passed over. */
const PROVIDER = z
  .object({
    name: label.describe("For people."),
    code: sourceName.describe("A known one is changed."),
    ...CONNECTION_FIELDS,
    tools: z
      .array(z.object({ ...LOOSE_TOOL_FIELDS, code: toolCode }).transform(toolOf))
      .max(1_000)
      .nullish(),
  })
  .superRefine(checkConnection)
  .transform((given) => ({
    name: given.name,
    code: given.code,
    tools: given.tools ?? [],
    ...connectionOf(given),
  }))
  .meta({ id: "NewApiProvider" });

export const PROVIDERS: z.ZodType<ProviderInput[]> = z.array(PROVIDER).max(1_000).superRefine(refuseDoubles);

const PARAMETER_VIEW = z.object({
  name: z.string(),
  type: z.string(),
  description: z.string(),
  required: z.boolean(),
  defaultValue: z.string().nullable(),
});

const TOOL_FIELDS = {
  name: z.string(),
  code: z.string(),
  enabled: z.boolean(),
  description: z.string(),
  endpointPath: z.string(),
  httpMethod: z.string(),
  bodyPayloadTemplate: z.string().nullable(),
  parameters: z.array(PARAMETER_VIEW),
};

const CONNECTION_VIEW = {
  baseUrl: z.string(),
  authenticationType: z.string(),
  apiKeyLocation: z.string(),
  apiKeyName: z.string().nullable(),
  customHeaders: z.record(z.string(), z.string()).optional().describe("A placeholder stands for what may be a secret."),
  isDynamicAuth: z.boolean().optional(),
  dynamicAuthUrl: z.string().optional(),
  dynamicAuthMethod: z.string().optional(),
  dynamicAuthPayloadType: z.string().optional(),
  dynamicAuthPayloadLocation: z.string().optional(),
  dynamicAuthTokenExtractionPath: z.string().optional(),
  dynamicAuthInvalidationKeywords: z.string().optional(),
};

const OAUTH_VIEW = {
  tokenUrl: z.string(),
  clientId: z.string(),
  scopes: z.array(z.string()),
  sendAs: z.string(),
};

export const TOOL_VIEW: z.ZodType = z
  .object({
    id: z.string(),
    ...TOOL_FIELDS,
    isExportable: z.boolean(),
    ...CONNECTION_VIEW,
    oauth2: z.object(OAUTH_VIEW).optional(),
    provider: z.object({ code: z.string(), name: z.string() }).optional().describe("Absent for a tool by itself."),
    healthy: z.boolean().describe("True until a check has found otherwise."),
    lastHealthCheck: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: "ApiTool" });

export const PROVIDER_VIEW: z.ZodType = z
  .object({
    name: z.string(),
    code: z.string(),
    ...CONNECTION_VIEW,
    apiKeyValue: z.string().nullable().describe("A placeholder, where there is one."),
    oauth2: z.object({ ...OAUTH_VIEW, clientSecret: z.string().optional() }).optional(),
    dynamicAuthPayload: z.string().optional(),
    tools: z.array(z.object(TOOL_FIELDS)),
  })
  .meta({ id: "ApiProvider" });

/** Codes are the names of sources and tools, which differ in more than their case. */
function refuseDoubles(providers: readonly ProviderInput[], context: z.core.$RefinementCtx): void {
  const seen = { provider: new Set<string>(), tool: new Set<string>() };
  const meet = (kind: keyof typeof seen, code: string, path: readonly PropertyKey[]): void => {
    const known = code.toLowerCase();
    if (seen[kind].has(known)) {
      context.addIssue({ code: "custom", message: `is the code of another ${kind} too`, path: [...path, "code"] });
    }
    seen[kind].add(known);
  };
  for (const [index, { code, tools }] of providers.entries()) {
    meet("provider", code, [index]);
    for (const [at, tool] of tools.entries()) meet("tool", tool.code, [index, "tools", at]);
  }
}
