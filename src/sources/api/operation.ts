/** An API in our own words: what a call of each of its operations sends, and with which credentials. Types only. */

export type HttpMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "TRACE";

export type ParameterPlace = "path" | "query" | "header" | "cookie";

/** As OpenAPI 3 names them. */
export type ParameterStyle = "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject";

export interface ApiParameter {
  /** The member of the tool's arguments. */
  readonly argument: string;
  /** On the wire. */
  readonly name: string;
  readonly in: ParameterPlace;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved?: boolean;
  readonly required: boolean;
  readonly default?: unknown;
  /** The value is written as this (JSON), and the style does not count. */
  readonly contentType?: string;
}

export interface ApiBodyMember {
  readonly argument: string;
  readonly name: string;
  readonly contentType?: string;
  readonly default?: unknown;
}

export interface ApiBody {
  readonly contentType: string;
  readonly kind: "json" | "form" | "multipart" | "text" | "binary";
  readonly required: boolean;
  /** The whole body is this argument; where there is none, it is made of members. */
  readonly argument?: string;
  readonly members?: readonly ApiBodyMember[];
  /** With `{{argument}}` in it; values are encoded for the place where they stand. */
  readonly template?: string;
}

export interface ApiOperation {
  /** The tool's. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly method: HttpMethod;
  /** "/v1/{city}" */
  readonly path: string;
  /** Instead of the API's base URL. */
  readonly server?: string;
  readonly parameters: readonly ApiParameter[];
  readonly body?: ApiBody;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** Names of `ApiOptions.auths`; none if empty, the usual one if absent. */
  readonly security?: readonly string[] | undefined;
}

export type ApiAuth =
  | { readonly type: "none" }
  | {
      readonly type: "apiKey";
      readonly in: "header" | "query" | "cookie" | "body";
      readonly name: string;
      readonly value: string;
    }
  | { readonly type: "bearer"; readonly token: string }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  /** What stands behind `Basic`, as somebody stored it. */
  | { readonly type: "basicRaw"; readonly value: string }
  | OAuthClient;

/** OAuth 2.0 client credentials. */
export interface OAuthClient {
  readonly type: "oauth2";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly sendAs: "header" | "body";
}

export interface ApiOptions {
  readonly baseUrl: string;
  /** By name; "" is the usual one. */
  readonly auths: Readonly<Record<string, ApiAuth>>;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly operations: readonly ApiOperation[];
  readonly allowPrivate: boolean;
  /** Of the text of one answer; what is longer is cut. */
  readonly maxAnswerChars: number;
  readonly callsPerMinute?: number;
}
