/** How an API and its tools are written down and read again, and how they become something that can be called. */
import type { Principal } from "../core/call.ts";
import type { ReadScheme, Skipped } from "../openapi/security.ts";
import { unmasked } from "../security/entry-secrets.ts";
import type { ApiAuth, ApiOperation, ApiOptions } from "../sources/api/operation.ts";
import type { ApiKind, ApiRecord, ApiToolRecord, NewApi, NewApiTool } from "../store/apis.ts";
import type { ApiBook } from "./book.ts";
import { divide, headerNamesOf, keyPlaceOf, optionsOf, plainAmong, whichSecrets } from "./handsai/connection.ts";
import { operationOf } from "./handsai/operation.ts";
import type {
  ConnectionInput,
  ConnectionSecrets,
  KeptProvider,
  KeptTool,
  OpenConnection,
  ToolDescription,
} from "./handsai/types.ts";

/** What is written of a tool by itself, or of a provider. */
interface DescribedApi {
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

function describedApi({ described }: ApiRecord): DescribedApi {
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

/** The options of a source for this API, with the operations that are enabled. */
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

interface Connected {
  readonly open: OpenConnection;
  readonly secrets: ConnectionSecrets;
}

interface ApiPlace {
  readonly id: string;
  /** The name of its source. */
  readonly name: string;
  readonly kind: ApiKind;
  /** For people. */
  readonly title: string;
}

/** How it is reached so far. Whoever brings new secrets need not be able to read the old. */
export function connectionOf(book: ApiBook, record: ApiRecord, input: ConnectionSecrets): Connected {
  const { connection: open } = describedApi(record);
  try {
    return { open, secrets: (book.unseal(record) ?? {}) as ConnectionSecrets };
  } catch (cause) {
    const { apiKeyValue, customHeaders, clientSecret, dynamicAuthPayload } = input;
    if ([apiKeyValue, customHeaders, clientSecret, dynamicAuthPayload].every((said) => said === undefined)) throw cause;
    return { open, secrets: {} };
  }
}

/** Secrets that are not said stay as they were. Throws if it is on an address that is forbidden. */
export function writtenApi(
  book: ApiBook,
  place: ApiPlace,
  input: ConnectionInput,
  principal: Principal,
  before?: Connected,
): NewApi {
  const { open, secrets } = divide(input, before);
  const addresses = [open.baseUrl, open.oauth2?.tokenUrl, open.dynamicAuth?.url].filter((url) => url !== undefined);
  const { id, name, kind, title } = place;
  const described: DescribedApi = {
    name: title,
    connection: open,
    headerNames: headerNamesOf(secrets),
    plainHeaders: plainAmong(secrets.customHeaders ?? {}),
    has: whichSecrets(secrets),
  };
  return {
    id,
    name,
    kind,
    baseUrl: open.baseUrl,
    enabled: true,
    allowPrivate: book.allowsPrivate(addresses, principal),
    described: JSON.stringify(described),
    sealed: Object.values(secrets).some((secret) => secret !== undefined) ? book.seal(id, secrets) : undefined,
  };
}

/** Only what belongs to the tool: it may come with its connection around it. What was shown of its path may be sent back. */
export function writtenTool(tool: ToolDescription, before?: ApiToolRecord): NewApiTool {
  const { name, code, enabled, description, httpMethod, bodyPayloadTemplate, parameters } = tool;
  const endpointPath = unmasked(tool.endpointPath, before && toolIn(before).endpointPath);
  const described: ToolDescription = {
    name,
    code,
    enabled,
    description,
    endpointPath,
    httpMethod,
    bodyPayloadTemplate,
    parameters,
    isExportable: tool.isExportable,
  };
  return { id: before?.id, code, enabled, described: JSON.stringify(described) };
}

export function keptTool(api: ApiRecord, tool: ApiToolRecord): KeptTool {
  const { name, connection, headerNames, plainHeaders = {} } = describedApi(api);
  const { id, healthy, checkedUtc, createdUtc, updatedUtc } = tool;
  return {
    ...toolIn(tool),
    id,
    connection,
    headerNames,
    plainHeaders,
    healthy,
    lastHealthCheckUtc: checkedUtc,
    createdUtc,
    updatedUtc,
    provider: api.kind === "provider" ? { code: api.name, name } : undefined,
  };
}

export function keptProvider(api: ApiRecord, tools: readonly ApiToolRecord[]): KeptProvider {
  const { name, connection, headerNames, plainHeaders = {}, has } = describedApi(api);
  return { code: api.name, name, connection, headerNames, plainHeaders, has, tools: tools.map(toolIn) };
}

/** In HandsAI's words, and not those of a document. */
export function isDescribed({ kind }: ApiRecord): boolean {
  return kind !== "openapi";
}
