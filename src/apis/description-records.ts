/** Descriptions in HandsAI's words as they are written down, and as they are read again. */
import type { Principal } from "../core/call.ts";
import { unmasked } from "../security/entry-secrets.ts";
import type { ApiKind, ApiRecord, ApiToolRecord, NewApi, NewApiTool } from "../store/apis.ts";
import { type DescribedApi, describedApi, toolIn } from "./api-records.ts";
import type { ApiBook } from "./book.ts";
import { divide, headerNamesOf, whichSecrets } from "./handsai/connection.ts";
import { plainAmong } from "./handsai/plain-headers.ts";
import type {
  ConnectionInput,
  ConnectionSecrets,
  KeptProvider,
  KeptTool,
  OpenConnection,
  ToolDescription,
} from "./handsai/types.ts";

interface Connected {
  readonly open: OpenConnection;
  readonly secrets: ConnectionSecrets;
}

interface ApiPlace {
  readonly id: string;
  /** The source's. */
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
