/** Descriptions in HandsAI's words, as they are told again: what is secret is not in them, and all of them can be sent back. */
import { maskedAddress } from "../../security/entry-secrets.ts";
import { PLACEHOLDER } from "./connection.ts";
import type { DynamicAuthDescription, KeptProvider, KeptTool, OpenConnection, ToolDescription } from "./types.ts";

export function toolView(tool: KeptTool): object {
  const { id, connection, provider } = tool;
  const oauth2 = oauthView(connection);
  return {
    id,
    ...described(tool),
    isExportable: tool.isExportable ?? true,
    ...reached(tool),
    ...(oauth2 && { oauth2 }),
    ...(connection.dynamicAuth && dynamicAuthView(connection.dynamicAuth)),
    ...(provider && { provider }),
    // The real system takes a tool for healthy until it has found out otherwise.
    healthy: tool.healthy ?? true,
    lastHealthCheck: tool.lastHealthCheckUtc ?? null,
    createdAt: tool.createdUtc,
    updatedAt: tool.updatedUtc,
  };
}

/**
 * A tool with some of its fields said anew, in the form in which one is described; what is absent or null stays. A place
 * for a key that it never had is not one that somebody chose.
 */
export function changedTool(tool: KeptTool, said: Readonly<Record<string, unknown>>): object {
  const hasPlace = tool.connection.apiKeyLocation !== "NONE";
  const news = Object.entries(said).filter(([, value]) => value !== null && value !== undefined);
  return { ...toolView(tool), ...(!hasPlace && { apiKeyLocation: undefined }), ...Object.fromEntries(news) };
}

/** In the form that is imported. */
export function providerView(provider: KeptProvider): object {
  const { name, code, connection, has, tools } = provider;
  const { dynamicAuth } = connection;
  const oauth2 = oauthView(connection);
  return {
    name,
    code,
    ...reached(provider),
    apiKeyValue: has.apiKeyValue ? PLACEHOLDER : null,
    ...(oauth2 && { oauth2: { ...oauth2, ...(has.clientSecret && { clientSecret: PLACEHOLDER }) } }),
    ...(dynamicAuth && dynamicAuthView(dynamicAuth)),
    ...(has.dynamicAuthPayload && { dynamicAuthPayload: PLACEHOLDER }),
    tools: tools.map(described),
  };
}

function described(tool: ToolDescription): ToolDescription {
  const { name, code, enabled, description, httpMethod, bodyPayloadTemplate, parameters } = tool;
  const endpointPath = maskedAddress(tool.endpointPath);
  return { name, code, enabled, description, endpointPath, httpMethod, bodyPayloadTemplate, parameters };
}

function reached({
  connection,
  headerNames,
  plainHeaders,
}: Pick<KeptTool, "connection" | "headerNames" | "plainHeaders">): object {
  const { authenticationType, apiKeyLocation, apiKeyName } = connection;
  const baseUrl = maskedAddress(connection.baseUrl);
  const secrets = Object.fromEntries(headerNames.map((name) => [name, PLACEHOLDER]));
  return {
    baseUrl,
    authenticationType,
    apiKeyLocation,
    apiKeyName,
    ...(headerNames.length > 0 && { customHeaders: { ...secrets, ...plainHeaders } }),
  };
}

function oauthView({ oauth2 }: OpenConnection): OpenConnection["oauth2"] {
  return oauth2 && { ...oauth2, tokenUrl: maskedAddress(oauth2.tokenUrl) };
}

function dynamicAuthView(dynamicAuth: DynamicAuthDescription): object {
  return {
    isDynamicAuth: true,
    dynamicAuthUrl: maskedAddress(dynamicAuth.url),
    dynamicAuthMethod: dynamicAuth.method,
    dynamicAuthPayloadType: dynamicAuth.payloadType,
    dynamicAuthPayloadLocation: dynamicAuth.payloadLocation,
    dynamicAuthTokenExtractionPath: dynamicAuth.tokenPath,
    dynamicAuthInvalidationKeywords: dynamicAuth.invalidationKeywords.join(","),
  };
}
