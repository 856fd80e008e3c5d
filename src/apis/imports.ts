/** APIs that came as OpenAPI documents. */
import { randomUUID } from "node:crypto";
import type {
  ImportChange,
  ImportedApi,
  ImportPreview,
  NewImport,
  Refreshed,
  RefreshInput,
  ShownOperation,
} from "../contract/api.ts";
import type { Principal } from "../core/call.ts";
import { diffOperations } from "../openapi/diff.ts";
import type { ReadApi } from "../openapi/operations.ts";
import { noSuch } from "../registry/failures.ts";
import { unmasked } from "../security/entry-secrets.ts";
import type { ApiOperation } from "../sources/api/operation.ts";
import type { ApiRecord, NewApi, NewApiTool } from "../store/apis.ts";
import { type DocumentedApi, type DocumentSecrets, documentedApi, NO_SECRETS } from "./api-records.ts";
import type { ApiBook, DocumentReader } from "./book.ts";
import type { Imports } from "./contract.ts";
import {
  baseUrlFor,
  nameFor,
  needsDocument,
  refuseUnlessOneSource,
  secretsFor,
  usableServer,
} from "./import-settings.ts";

export class ImportDesk implements Imports {
  readonly #book: ApiBook;
  readonly #reader: DocumentReader;

  constructor(book: ApiBook, reader: DocumentReader) {
    this.#book = book;
    this.#reader = reader;
  }

  async list(): Promise<readonly ImportedApi[]> {
    const { table } = this.#book;
    const counts = Map.groupBy(await table.tools(), ({ apiId }) => apiId);
    const documents = (await table.list()).filter(({ kind }) => kind === "openapi");
    return documents.map((record) => shownApi(record, counts.get(record.id)?.length ?? 0));
  }

  async find(idOrName: string): Promise<ImportedApi> {
    return this.#shown(await this.#find(idOrName));
  }

  async operations(idOrName: string): Promise<readonly ShownOperation[]> {
    return (await this.#operations(await this.#find(idOrName))).map(shownOperation);
  }

  async preview(input: NewImport, principal: Principal): Promise<ImportPreview> {
    const read = await this.#read(input, principal);
    const { title, servers, tags, schemes, operations, skipped } = read;
    const name = nameFor(input, read);
    const baseUrl = input.baseUrl ?? usableServer(read) ?? null;
    return { name, title, baseUrl, servers, tags, schemes, operations: operations.map(shownOperation), skipped };
  }

  async create(input: NewImport, principal: Principal): Promise<ImportedApi> {
    const read = await this.#read(input, principal);
    const name = nameFor(input, read);
    const id = randomUUID();
    const secrets = secretsFor(input, read.schemes, NO_SECRETS);
    const described: DocumentedApi = {
      title: read.title,
      url: input.url ?? null,
      tags: input.tags ?? [],
      paths: input.paths ?? [],
      schemes: read.schemes,
      skipped: read.skipped,
      callsPerMinute: input.callsPerMinute ?? null,
      concurrency: input.concurrency ?? null,
      ...namesIn(secrets),
    };
    const baseUrl = baseUrlFor(input, read);
    const place = { id, name, baseUrl, enabled: true };
    const api = this.#written(place, described, secrets, principal);
    await this.#book.inTurn(() => this.#book.save([{ api, tools: read.operations.map(writtenOperation) }], name));
    return this.find(id);
  }

  async change(idOrName: string, change: ImportChange, principal: Principal): Promise<ImportedApi> {
    return this.#book.inTurn(async () => {
      const before = await this.#find(idOrName);
      const was = documentedApi(before);
      const baseUrl = unmasked(change.baseUrl ?? before.baseUrl, before.baseUrl);
      const secrets = secretsFor(change, was.schemes, this.#keptSecrets(before, baseUrl, change));
      const described: DocumentedApi = {
        ...was,
        tags: change.tags ?? was.tags,
        paths: change.paths ?? was.paths,
        callsPerMinute: change.callsPerMinute === undefined ? was.callsPerMinute : change.callsPerMinute,
        concurrency: change.concurrency === undefined ? was.concurrency : change.concurrency,
        ...namesIn(secrets),
      };
      const { id } = before;
      const place = { id, name: change.name ?? before.name, baseUrl, enabled: change.enabled ?? before.enabled };
      const api = this.#written(place, described, secrets, principal);
      await this.#book.save([{ api, tools: await this.#book.table.tools(id) }], place.name);
      return this.find(id);
    });
  }

  async refresh(idOrName: string, input: RefreshInput, principal: Principal): Promise<Refreshed> {
    const seen = await this.#find(idOrName);
    const { url, tags, paths } = documentedApi(seen);
    if (url === null && input.document === undefined) throw needsDocument();
    const from = input.document === undefined ? { url: url ?? undefined } : { document: input.document };
    const read = await this.#read({ ...from, tags, paths }, principal, seen.allowPrivate);
    return this.#book.inTurn(async () => {
      const record = await this.#find(seen.id);
      const changes = diffOperations(await this.#operations(record), read.operations);
      if (!input.dryRun) await this.#replace(record, read);
      return { api: await this.#shown(await this.#find(record.id)), changes, skipped: read.skipped };
    });
  }

  async remove(idOrName: string): Promise<void> {
    await this.#book.inTurn(async () => this.#book.remove(await this.#find(idOrName)));
  }

  async #find(idOrName: string): Promise<ApiRecord> {
    const record = await this.#book.find(idOrName);
    if (record.kind !== "openapi") throw noSuch("API", idOrName);
    return record;
  }

  async #shown(record: ApiRecord): Promise<ImportedApi> {
    return shownApi(record, (await this.#book.table.tools(record.id)).length);
  }

  async #operations({ id }: ApiRecord): Promise<readonly ApiOperation[]> {
    return (await this.#book.table.tools(id)).map(({ described }) => JSON.parse(described) as ApiOperation);
  }

  async #read(input: NewImport, principal: Principal, mayBePrivate = false): Promise<ReadApi> {
    refuseUnlessOneSource(input);
    const { url, tags, paths } = input;
    const text = input.document ?? (await this.#fetch(url ?? "", principal, mayBePrivate));
    return this.#reader.read(text, { tags: filled(tags), paths: filled(paths), base: url ?? input.baseUrl });
  }

  #fetch(url: string, principal: Principal, mayBePrivate: boolean): Promise<string> {
    const { anyPrivate } = this.#book;
    const isAllowed = anyPrivate || mayBePrivate || this.#book.allowsPrivate([url], principal);
    return this.#reader.fetch(url, isAllowed);
  }

  /** The address stays: a document must not lead our credentials elsewhere. */
  async #replace(record: ApiRecord, read: ReadApi): Promise<void> {
    const { title, schemes, skipped, operations } = read;
    const described: DocumentedApi = { ...documentedApi(record), title, schemes, skipped };
    const api = { ...record, described: JSON.stringify(described) };
    await this.#book.save([{ api, tools: operations.map(writtenOperation) }], record.name);
  }

  /** Credentials stay with the place they were given for. */
  #keptSecrets(before: ApiRecord, baseUrl: string, { auth, headers }: ImportChange): DocumentSecrets {
    if (auth !== undefined && headers !== undefined) return NO_SECRETS;
    if (new URL(baseUrl).origin !== new URL(before.baseUrl).origin) return NO_SECRETS;
    try {
      return (this.#book.unseal(before) ?? NO_SECRETS) as DocumentSecrets;
    } catch (cause) {
      // Whoever brings new ones need not be able to read the old.
      if (auth === undefined && headers === undefined) throw cause;
      return NO_SECRETS;
    }
  }

  #written(
    place: Pick<NewApi, "id" | "name" | "baseUrl" | "enabled">,
    described: DocumentedApi,
    secrets: DocumentSecrets,
    principal: Principal,
  ): NewApi {
    const tokenUrls = Object.values(secrets.auths).flatMap((auth) => (auth.type === "oauth2" ? [auth.tokenUrl] : []));
    const isEmpty = Object.keys(secrets.auths).length === 0 && Object.keys(secrets.headers).length === 0;
    return {
      ...place,
      kind: "openapi",
      allowPrivate: this.#book.allowsPrivate([place.baseUrl, ...tokenUrls], principal),
      described: JSON.stringify(described),
      sealed: isEmpty ? undefined : this.#book.seal(place.id, secrets),
    };
  }
}

function namesIn({ auths, headers }: DocumentSecrets): Pick<DocumentedApi, "given" | "headerNames"> {
  return { given: Object.keys(auths), headerNames: Object.keys(headers) };
}

function writtenOperation(operation: ApiOperation): NewApiTool {
  return { code: operation.name, enabled: true, described: JSON.stringify(operation) };
}

function shownOperation({ name, method, path, description }: ApiOperation): ShownOperation {
  return { name, method, path, description };
}

function shownApi(record: ApiRecord, tools: number): ImportedApi {
  const { id, name, baseUrl, enabled, createdUtc, updatedUtc } = record;
  const { given, schemes, ...described } = documentedApi(record);
  const isGiven = (scheme: string): boolean => given.includes(scheme) || given.includes("");
  const shown = schemes.map((scheme) => ({ ...scheme, given: isGiven(scheme.name) }));
  return { id, name, baseUrl, enabled, ...described, schemes: shown, tools, createdUtc, updatedUtc };
}

/** An empty list chooses nothing in particular. */
function filled(list: readonly string[] | undefined): readonly string[] | undefined {
  return list && list.length > 0 ? list : undefined;
}
