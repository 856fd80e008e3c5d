/** Descriptions in HandsAI's words, as they are told again: what is secret is not in them, and all of them can be sent back. */
import { PLACEHOLDER } from "./placeholder.ts";
import type { DynamicAuthDescription, KeptProvider, KeptTool, OpenConnection, ToolDescription } from "./types.ts";

export function toolView(tool: KeptTool): object {
  const { id, connection, provider, headerNames } = tool;
  const { oauth2 } = connection;
  return {
    id,
    ...described(tool),
    ...reached(connection, headerNames),
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

/** In the form that is imported. */
export function providerView({ name, code, connection, has, headerNames, tools }: KeptProvider): object {
  const { oauth2, dynamicAuth } = connection;
  return {
    ...{ name, code, ...reached(connection, headerNames) },
    apiKeyValue: has.apiKeyValue ? PLACEHOLDER : null,
    ...(oauth2 && { oauth2: { ...oauth2, ...(has.clientSecret && { clientSecret: PLACEHOLDER }) } }),
    ...(dynamicAuth && dynamicAuthView(dynamicAuth)),
    ...(has.dynamicAuthPayload && { dynamicAuthPayload: PLACEHOLDER }),
    tools: tools.map(described),
  };
}

function described(tool: ToolDescription): ToolDescription {
  const { name, code, enabled, description, endpointPath, httpMethod, bodyPayloadTemplate, parameters } = tool;
  return { name, code, enabled, description, endpointPath, httpMethod, bodyPayloadTemplate, parameters };
}

function reached(
  { baseUrl, authenticationType, apiKeyLocation, apiKeyName }: OpenConnection,
  names: readonly string[],
) {
  const customHeaders = Object.fromEntries(names.map((name) => [name, PLACEHOLDER]));
  return {
    ...{ baseUrl, authenticationType, apiKeyLocation, apiKeyName },
    ...(names.length > 0 && { customHeaders }),
  };
}

function dynamicAuthView(dynamicAuth: DynamicAuthDescription): object {
  return {
    isDynamicAuth: true,
    dynamicAuthUrl: dynamicAuth.url,
    dynamicAuthMethod: dynamicAuth.method,
    dynamicAuthPayloadType: dynamicAuth.payloadType,
    dynamicAuthPayloadLocation: dynamicAuth.payloadLocation,
    dynamicAuthTokenExtractionPath: dynamicAuth.tokenPath,
    dynamicAuthInvalidationKeywords: dynamicAuth.invalidationKeywords.join(","),
  };
}
