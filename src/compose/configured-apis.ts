/**
 * APIs of the configuration file. Those with tools written down are known at once; a document is read with the first
 * connection, so that a start waits for no file and no web.
 */
import { readFile, stat } from "node:fs/promises";
import { MOST_CHARS } from "../apis/api-records.ts";
import { operationsOfTools } from "../apis/file-operations.ts";
import { baseUrlFor, refuseUnknownSchemes } from "../apis/import-settings.ts";
import type { ApiToolsConfig, DocumentedApiConfig, WrittenApiConfig } from "../config/types.ts";
import type { KnownOffers } from "../core/hub.ts";
import { ZaguanError } from "../errors.ts";
import { READ_LIMITS } from "../openapi/limits.ts";
import type { ApiOptions } from "../sources/api/operation.ts";
import { type PreparedSource, prepareApi, prepareLateApi } from "../sources/index.ts";

type PreparedApi = PreparedSource & { readonly known?: KnownOffers };

export async function prepareConfiguredApi(
  name: string,
  config: ApiToolsConfig,
  anyPrivate: boolean,
): Promise<PreparedApi> {
  const allowPrivate = anyPrivate || config.policy.allowPrivate;
  if ("tools" in config) return prepareApi(writtenOptions(config, allowPrivate));
  return prepareLateApi(() => documentedOptions(name, config, allowPrivate), config.baseUrl ?? "");
}

function writtenOptions(config: WrittenApiConfig, allowPrivate: boolean): ApiOptions {
  return {
    ...usualOptions(config, allowPrivate),
    baseUrl: config.baseUrl,
    operations: operationsOfTools(config.tools),
  };
}

async function documentedOptions(
  name: string,
  config: DocumentedApiConfig,
  allowPrivate: boolean,
): Promise<ApiOptions> {
  const { document, baseUrl, tags, paths, auths } = config;
  try {
    const { documentReader } = await import("./api-documents.ts");
    const url = "url" in document ? document.url : undefined;
    const text =
      "url" in document ? await documentReader.fetch(document.url, allowPrivate) : await textOf(document.file);
    const read = await documentReader.read(text, { tags: filled(tags), paths: filled(paths), base: url ?? baseUrl });
    refuseUnknownSchemes(
      Object.keys(auths).filter((scheme) => scheme !== ""),
      read.schemes,
    );
    return {
      ...usualOptions(config, allowPrivate),
      baseUrl: baseUrlFor({ baseUrl }, read),
      operations: read.operations,
    };
  } catch (cause) {
    throw unavailable(name, cause);
  }
}

type Usual = Omit<ApiOptions, "baseUrl" | "operations">;

function usualOptions({ auths, headers, callsPerMinute }: ApiToolsConfig, allowPrivate: boolean): Usual {
  const paced = callsPerMinute === undefined ? {} : { callsPerMinute };
  return { auths, headers, allowPrivate, maxAnswerChars: MOST_CHARS, ...paced };
}

async function textOf(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > READ_LIMITS.bytes) throw new TypeError(`the document is larger than ${READ_LIMITS.bytes / 1_000_000} MB`);
  return readFile(file, "utf8");
}

function filled(list: readonly string[]): readonly string[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** Whatever is wrong with the document: until it is right, the API is not there. */
function unavailable(source: string, cause: unknown): ZaguanError {
  const params = { source, reason: `its OpenAPI document: ${reasonOf(cause)}` };
  return new ZaguanError("SOURCE_UNAVAILABLE", { params, delivery: "not_sent", cause });
}

function reasonOf(cause: unknown): string {
  if (cause instanceof ZaguanError) return String(cause.details.params?.["reason"] ?? cause.code);
  return (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : "unreadable");
}
