/** An API in our own words: what a call of each of its operations sends, and with which credentials. Types only. */
import type { OAuthClient, ApiAuth as WrittenAuth } from "../../contract/api.ts";

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
  /** In a form: as a parameter of the query is written. Without it a list is as many pairs, and an object is JSON. */
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  readonly default?: unknown;
}

export interface ApiBody {
  readonly contentType: string;
  readonly kind: "json" | "form" | "multipart" | "text" | "binary";
  readonly required: boolean;
  /** The whole body is this argument; where there is none, it is made of members. */
  readonly argument?: string;
  /** Of a whole form, those of which the document says how they are written. */
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
  /** `_pick` and `_offset` are not listed in the input schema, but taken. */
  readonly plain?: true;
  /** Arguments whose schema says "array" or "object" may come as a text of JSON; those that are null are not given. */
  readonly jsonText?: true;
}

/** Those that people write, and those that HandsAI's descriptions have beside them. */
export type ApiAuth =
  | WrittenAuth
  /** What stands behind `Basic`, as somebody stored it. */
  | { readonly type: "basicRaw"; readonly value: string }
  | TokenRequest;

/** What is fetched before it can be sent. */
export type TokenAuth = OAuthClient | TokenRequest;

/** A token that some endpoint gives for a payload, sent with every call until it is no longer good. */
export interface TokenRequest {
  readonly type: "tokenRequest";
  readonly url: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  readonly payloadType: "json" | "form";
  readonly payloadIn: "body" | "query";
  /** JSON text of an object. */
  readonly payload: string;
  /** Where the token stands in the answer: names with dots between them. */
  readonly tokenPath: string;
  /** An answer that contains one of these says, as 401 does, that the token is no longer good. */
  readonly invalidation: readonly string[];
  /** In which the token is sent; lower case, usually "authorization". */
  readonly header: string;
  /** Before the token: "Bearer ", or nothing. */
  readonly prefix: string;
}

export interface ApiOptions {
  readonly baseUrl: string;
  /** By name; "" is the usual one. */
  readonly auths: Readonly<Record<string, ApiAuth>>;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly operations: readonly ApiOperation[];
  readonly allowPrivate: boolean;
  /** The origins of `baseUrl` and of token servers may be private, but not where redirects or other servers lead. */
  readonly ownPrivate?: boolean;
  /** Of the text of one answer; what is longer is cut. */
  readonly maxAnswerChars: number;
  readonly callsPerMinute?: number;
}
