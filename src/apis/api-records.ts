/** How an API is written down, and how it becomes something that can be called. */
import type { ReadScheme, Skipped } from "../openapi/security.ts";
import type { ApiAuth, ApiOperation, ApiOptions } from "../sources/api/operation.ts";
import type { ApiRecord, ApiToolRecord } from "../store/apis.ts";
import { keyPlaceOf, optionsOf } from "./handsai/connection.ts";
import { operationOf } from "./handsai/operation.ts";
import type { ConnectionSecrets, OpenConnection, ToolDescription } from "./handsai/types.ts";

/** What is written of a tool by itself, or of a provider. */
export interface DescribedApi {
  /** For people. */
  readonly name: string;
  readonly connection: OpenConnection;
  readonly headerNames: readonly string[];
  /** Those of the headers that are no secrets; absent in what was written before they were told apart. */
  readonly plainHeaders?: Readonly<Record<string, string>>;
  readonly has: Readonly<Record<keyof ConnectionSecrets, boolean>>;
}

/** What is written of an OpenAPI document. */
export interface DocumentedApi {
  readonly title: string;
  readonly url: string | null;
  readonly tags: readonly string[];
  readonly paths: readonly string[];
  readonly schemes: readonly ReadScheme[];
  /** Names of schemes with credentials; "" for all. */
  readonly given: readonly string[];
  readonly headerNames: readonly string[];
  readonly callsPerMinute: number | null;
  readonly concurrency: number | null;
  readonly skipped: readonly Skipped[];
}

export interface DocumentSecrets {
  readonly auths: Readonly<Record<string, ApiAuth>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Of one answer; what is longer is cut, with a way to get the rest. */
export const MOST_CHARS = 100_000;

export function describedApi({ described }: ApiRecord): DescribedApi {
  return JSON.parse(described) as DescribedApi;
}

export function documentedApi({ described }: ApiRecord): DocumentedApi {
  return JSON.parse(described) as DocumentedApi;
}

export function toolIn({ described }: ApiToolRecord): ToolDescription {
  return JSON.parse(described) as ToolDescription;
}

export function operationIn(record: ApiRecord, tool: ApiToolRecord): ApiOperation {
  if (record.kind === "openapi") return JSON.parse(tool.described) as ApiOperation;
  const { connection, has } = describedApi(record);
  return operationOf(toolIn(tool), keyPlaceOf(connection, has.apiKeyValue));
}

export interface ReadyApi {
  readonly options: ApiOptions;
  readonly concurrency: number | undefined;
}

/** With the operations that are enabled. */
export function readyApi(record: ApiRecord, tools: readonly ApiToolRecord[], secrets: unknown): ReadyApi {
  const operations = tools.filter(({ enabled }) => enabled).map((tool) => operationIn(record, tool));
  const { allowPrivate, baseUrl } = record;
  // Where it leads by itself may be private; where it sends us, or what it names elsewhere, may not.
  const usual = { operations, allowPrivate: false, ownPrivate: allowPrivate, maxAnswerChars: MOST_CHARS };
  if (record.kind !== "openapi") {
    const connection = optionsOf(describedApi(record).connection, (secrets ?? {}) as ConnectionSecrets);
    return { options: { ...usual, ...connection }, concurrency: undefined };
  }
  const { callsPerMinute, concurrency } = documentedApi(record);
  const { auths, headers } = (secrets ?? NO_SECRETS) as DocumentSecrets;
  const paced = callsPerMinute === null ? {} : { callsPerMinute };
  return { options: { ...usual, baseUrl, auths, headers, ...paced }, concurrency: concurrency ?? undefined };
}

export const NO_SECRETS: DocumentSecrets = { auths: {}, headers: {} };
