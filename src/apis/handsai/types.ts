/**
 * A REST API in HandsAI's words (seed 004): a provider, which is an address with its credentials, and its tools. Types only.
 * What is secret stands apart from what is told again.
 */

export type ParameterType = "STRING" | "NUMBER" | "BOOLEAN" | "OBJECT" | "ARRAY";

export interface ParameterDescription {
  readonly name: string;
  readonly type: ParameterType;
  readonly description: string;
  readonly required: boolean;
  /** Null and "" mean that there is no default. */
  readonly defaultValue: string | null;
}

/** A tool: one request to the API. */
export interface ToolDescription {
  /** For people. */
  readonly name: string;
  /** The tool's name at every door; unique among all described tools. */
  readonly code: string;
  readonly enabled: boolean;
  readonly description: string;
  /** "/v1/{city}", perhaps with a query. */
  readonly endpointPath: string;
  readonly httpMethod: "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
  /** With `{{parameter}}` in it. */
  readonly bodyPayloadTemplate: string | null;
  readonly parameters: readonly ParameterDescription[];
  /** Whether an export includes it. Not said: it does. */
  readonly isExportable?: boolean | undefined;
}

export interface OAuthDescription {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly sendAs: "header" | "body";
}

/** A token that is fetched before the first call, and anew when it is refused. */
export interface DynamicAuthDescription {
  readonly url: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  readonly payloadType: "JSON" | "FORM_DATA";
  readonly payloadLocation: "BODY" | "QUERY_PARAMETERS";
  /** Dotted, from the root of the JSON that is answered. */
  readonly tokenPath: string;
  /** An answer with one of these in it means that the token has ended. */
  readonly invalidationKeywords: readonly string[];
}

/** How it is reached: what may be told again. */
export interface OpenConnection {
  readonly baseUrl: string;
  readonly authenticationType: "NONE" | "API_KEY" | "BEARER_TOKEN" | "BASIC_AUTH" | "OAUTH2";
  readonly apiKeyLocation: "NONE" | "HEADER" | "QUERY_PARAMETER" | "IN_BODY";
  readonly apiKeyName: string | null;
  readonly oauth2: OAuthDescription | null;
  readonly dynamicAuth: DynamicAuthDescription | null;
}

/** Where a stored key is sent, if not in a header. */
export interface KeyPlace {
  readonly in: "query" | "body";
  readonly name: string;
}

/** What is kept sealed. */
export interface ConnectionSecrets {
  readonly apiKeyValue?: string | undefined;
  readonly customHeaders?: Readonly<Record<string, string>> | undefined;
  readonly clientSecret?: string | undefined;
  /** JSON text. */
  readonly dynamicAuthPayload?: string | undefined;
}

/** As somebody says it, after checking; a secret that is absent or a placeholder is not said. */
export interface ConnectionInput extends OpenConnection, ConnectionSecrets {}

/** One tool by itself, as `POST /admin/tools/api` takes it. */
export interface ToolInput extends ConnectionInput, ToolDescription {}

/** As `POST /api/import/providers` takes it. */
export interface ProviderInput extends ConnectionInput {
  readonly name: string;
  readonly code: string;
  readonly tools: readonly ToolDescription[];
}

/** A tool as it is kept, with the provider that it belongs to. */
export interface KeptTool extends ToolDescription {
  readonly id: string;
  readonly connection: OpenConnection;
  /** Names of the headers that are sent. */
  readonly headerNames: readonly string[];
  /** Those of them that are no secrets. */
  readonly plainHeaders: Readonly<Record<string, string>>;
  /** Undefined for a tool by itself. */
  readonly provider: { readonly code: string; readonly name: string } | undefined;
  /** Undefined until it was checked. */
  readonly healthy: boolean | undefined;
  readonly lastHealthCheckUtc: string | undefined;
  readonly createdUtc: string;
  readonly updatedUtc: string;
}

export interface KeptProvider {
  readonly code: string;
  readonly name: string;
  readonly connection: OpenConnection;
  /** Which secrets there are; never what they are. */
  readonly has: Readonly<Record<keyof ConnectionSecrets, boolean>>;
  readonly headerNames: readonly string[];
  readonly plainHeaders: Readonly<Record<string, string>>;
  readonly tools: readonly ToolDescription[];
}
