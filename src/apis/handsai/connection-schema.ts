/** How an API is reached, as somebody sends it: HandsAI's flat fields, and `oauth2`, which is our own. */
import { z } from "zod";
import { OAuthClient } from "../../contract/api.ts";
import { NO_TOKEN, SECRET_LENGTH } from "../../contract/fields.ts";
import { TOKEN } from "../../contract/rules.ts";
import { isSaid } from "./connection.ts";
import {
  baseUrl,
  customHeaders,
  headerNameFault,
  headerValueFault,
  NEVER_RETURNED,
  oneLine,
  type SchemasOf,
  type Unsaid,
  webAddress,
} from "./fields.ts";
import { objectIn } from "./text-values.ts";
import type {
  ConnectionInput,
  ConnectionSecrets,
  DynamicAuthDescription,
  OAuthDescription,
  OpenConnection,
} from "./types.ts";

type Context = z.core.$RefinementCtx;

const oauth2 = OAuthClient.omit({ type: true }).extend({
  tokenUrl: webAddress,
  clientSecret: z.string().max(SECRET_LENGTH).nullish().describe(NEVER_RETURNED),
});

const dynamicAuthPayload = z
  .union([z.record(z.string(), z.unknown()), z.string().max(SECRET_LENGTH)])
  .describe(`A JSON object, or its text. ${NEVER_RETURNED}`);

/** The fields once each has passed its own check. */
interface ConnectionFields {
  readonly baseUrl: string;
  readonly authenticationType: OpenConnection["authenticationType"] | Unsaid;
  readonly apiKeyLocation: OpenConnection["apiKeyLocation"] | Unsaid;
  readonly apiKeyName: string | Unsaid;
  readonly apiKeyValue: string | Unsaid;
  readonly customHeaders: Readonly<Record<string, string>> | Unsaid;
  readonly oauth2: (OAuthDescription & { readonly clientSecret?: string | Unsaid }) | Unsaid;
  readonly isDynamicAuth: boolean | Unsaid;
  readonly dynamicAuthUrl: string | Unsaid;
  readonly dynamicAuthMethod: DynamicAuthDescription["method"] | Unsaid;
  readonly dynamicAuthPayloadType: DynamicAuthDescription["payloadType"] | Unsaid;
  readonly dynamicAuthPayloadLocation: DynamicAuthDescription["payloadLocation"] | Unsaid;
  readonly dynamicAuthPayload: Readonly<Record<string, unknown>> | string | Unsaid;
  readonly dynamicAuthTokenExtractionPath: string | Unsaid;
  readonly dynamicAuthInvalidationKeywords: string | Unsaid;
}

export const CONNECTION_FIELDS: SchemasOf<ConnectionFields> = {
  baseUrl,
  authenticationType: z.enum(["NONE", "API_KEY", "BEARER_TOKEN", "BASIC_AUTH", "OAUTH2"]).nullish(),
  apiKeyLocation: z.enum(["NONE", "HEADER", "QUERY_PARAMETER", "IN_BODY"]).nullish(),
  apiKeyName: oneLine(256).nullish().describe("Of a header: X-API-Key where it is not said."),
  apiKeyValue: oneLine(SECRET_LENGTH).nullish().describe(`Key, token, or what stands behind Basic. ${NEVER_RETURNED}`),
  customHeaders: customHeaders.nullish(),
  oauth2: oauth2.nullish().describe("Client credentials, for OAUTH2."),
  isDynamicAuth: z
    .boolean()
    .nullish()
    .describe("The key is a token that is fetched first, and anew when it has ended."),
  dynamicAuthUrl: z.union([webAddress, z.literal("")]).nullish(),
  dynamicAuthMethod: z.enum(["GET", "POST", "PUT", "PATCH"]).nullish(),
  dynamicAuthPayloadType: z.enum(["JSON", "FORM_DATA"]).nullish(),
  dynamicAuthPayloadLocation: z.enum(["BODY", "QUERY_PARAMETERS"]).nullish(),
  dynamicAuthPayload: dynamicAuthPayload.nullish(),
  dynamicAuthTokenExtractionPath: oneLine(1_024).nullish().describe("Names with dots between them."),
  dynamicAuthInvalidationKeywords: oneLine(4_096).nullish().describe("With commas between them."),
};

/** Checks what depends on several fields. */
export function checkConnection(fields: ConnectionFields, context: Context): void {
  const refuse = (field: keyof ConnectionFields, message: string): void => {
    context.addIssue({ code: "custom", message, path: [field] });
  };
  const { authenticationType, oauth2: client } = fields;
  if (authenticationType === "OAUTH2" && !client) refuse("oauth2", "is needed for OAUTH2");
  if (authenticationType === "API_KEY") checkPlace(fields, refuse);
  const fault = isSaid(fields.apiKeyValue) && keyFault(fields, fields.apiKeyValue);
  if (fault) refuse("apiKeyValue", fault);
  if (fields.isDynamicAuth) checkDynamicAuth(fields, refuse);
}

export function connectionOf(fields: ConnectionFields): ConnectionInput {
  const authenticationType = fields.authenticationType ?? "NONE";
  return {
    baseUrl: fields.baseUrl,
    authenticationType,
    apiKeyLocation: placeOf(fields),
    apiKeyName: fields.apiKeyName || null,
    oauth2: authenticationType === "OAUTH2" && fields.oauth2 ? clientOf(fields.oauth2) : null,
    dynamicAuth: dynamicAuthOf(fields),
    ...secretsOf(fields),
  };
}

type Refuse = (field: keyof ConnectionFields, message: string) => void;

function placeOf({ authenticationType, apiKeyLocation }: ConnectionFields): OpenConnection["apiKeyLocation"] {
  return apiKeyLocation ?? (authenticationType === "API_KEY" ? "HEADER" : "NONE");
}

function checkPlace(fields: ConnectionFields, refuse: Refuse): void {
  const { apiKeyName } = fields;
  const place = placeOf(fields);
  if (place === "NONE") refuse("apiKeyLocation", "must be HEADER, QUERY_PARAMETER or IN_BODY for API_KEY");
  else if (place !== "HEADER" && !apiKeyName) refuse("apiKeyName", "is needed where the key is in no header");
  const fault = place === "HEADER" && apiKeyName ? headerNameFault(apiKeyName) : undefined;
  if (fault) refuse("apiKeyName", fault);
}

/** A pair with a colon is encoded before it is sent. */
function keyFault(fields: ConnectionFields, key: string): string | undefined {
  const { authenticationType } = fields;
  if (authenticationType === "BEARER_TOKEN") return TOKEN.test(key) ? undefined : NO_TOKEN;
  const isInHeader =
    authenticationType === "API_KEY"
      ? placeOf(fields) === "HEADER"
      : authenticationType === "BASIC_AUTH" && !key.includes(":");
  return isInHeader ? headerValueFault(key) : undefined;
}

function checkDynamicAuth(fields: ConnectionFields, refuse: Refuse): void {
  const { authenticationType, dynamicAuthPayload: payload } = fields;
  if (!fields.dynamicAuthUrl) refuse("dynamicAuthUrl", "is needed for isDynamicAuth");
  if (authenticationType === "OAUTH2") refuse("isDynamicAuth", "does not go with OAUTH2");
  if (authenticationType === "API_KEY" && placeOf(fields) !== "HEADER") {
    refuse("apiKeyLocation", "must be HEADER for isDynamicAuth");
  }
  if (typeof payload === "string" && isSaid(payload) && !objectIn(payload)) {
    refuse("dynamicAuthPayload", "must be a JSON object, or its text");
  }
}

function secretsOf(fields: ConnectionFields): ConnectionSecrets {
  const { apiKeyValue, customHeaders: headers } = fields;
  const clientSecret = fields.oauth2?.clientSecret;
  const given = fields.dynamicAuthPayload;
  const payload = typeof given === "object" && given !== null ? JSON.stringify(given) : given;
  return {
    ...(isSaid(apiKeyValue) && { apiKeyValue }),
    ...(headers && { customHeaders: headers }),
    ...(isSaid(clientSecret) && { clientSecret }),
    ...(isSaid(payload) && { dynamicAuthPayload: payload }),
  };
}

function clientOf({ tokenUrl, clientId, scopes, sendAs }: NonNullable<ConnectionFields["oauth2"]>) {
  return { tokenUrl, clientId, scopes, sendAs };
}

/** The real system's default. */
const KEYWORDS = "invalid_token,token_expired,unauthorized,expired_token";

function dynamicAuthOf(fields: ConnectionFields): DynamicAuthDescription | null {
  if (!fields.isDynamicAuth || !fields.dynamicAuthUrl) return null;
  const keywords = (fields.dynamicAuthInvalidationKeywords || KEYWORDS).split(",");
  return {
    url: fields.dynamicAuthUrl,
    method: fields.dynamicAuthMethod ?? "POST",
    payloadType: fields.dynamicAuthPayloadType ?? "JSON",
    payloadLocation: fields.dynamicAuthPayloadLocation ?? "BODY",
    tokenPath: fields.dynamicAuthTokenExtractionPath ?? "",
    invalidationKeywords: keywords.map((word) => word.trim()).filter((word) => word !== ""),
  };
}
