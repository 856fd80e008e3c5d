/**
 * The keeper of all APIs: what is written is what the hub offers. Changes come one after another, so that nobody finds a
 * half of one; what was read for a change is still true when it is written.
 */
import type { Principal } from "../core/call.ts";
import type { OperationsOptions, ReadApi } from "../openapi/operations.ts";
import { cannotUnseal, named, noSuch } from "../registry/failures.ts";
import type { RegistryRules } from "../registry/ports.ts";
import { checkAddress } from "../registry/rights.ts";
import type { Secrets } from "../security/secrets.ts";
import type { ApiOperation, ApiOptions } from "../sources/api/operation.ts";
import type { ApiRecord, ApiTable, ApiToolRecord, ApiWrite } from "../store/apis.ts";
import { operationIn, type ReadyApi, readyApi } from "./api-records.ts";

/** The hub, as far as APIs are put into it. */
interface ApiAttachments {
  /** In the place of the one of that name; one that is offered so already is left alone. The file has the last word on a name. */
  attach(name: string, options: ApiOptions, concurrency: number | undefined): Promise<void>;
  detach(name: string): Promise<void>;
  /** Tells clients that what they may use has changed. */
  announce(): void;
}

export interface DocumentReader {
  /** The text of a document on the web, through the guard against private addresses. */
  fetch(url: string, allowPrivate: boolean): Promise<string>;
  /** Beside the hub's own work: a large document takes a second and more. */
  read(text: string, options: OperationsOptions): Promise<ReadApi>;
}

export interface ApiChecker {
  /** Whether the API answers, asked in a way that changes nothing there. */
  isHealthy(name: string, options: ApiOptions, operation: ApiOperation): Promise<boolean>;
}

export interface ApiBookPorts {
  readonly table: ApiTable;
  readonly secrets: Secrets;
  readonly attachments: ApiAttachments;
  readonly checker: ApiChecker;
  /** The registry, which shares its names with us. */
  readonly servers: { freeName(name: string): Promise<void> };
  rules(): RegistryRules;
  /** Tells of what went wrong where nobody waits for an answer. */
  report(cause: unknown): void;
}

export class ApiBook {
  readonly #ports: ApiBookPorts;
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(ports: ApiBookPorts) {
    this.#ports = ports;
  }

  get table(): ApiTable {
    return this.#ports.table;
  }

  /** Brings every API under the hub. Nothing is asked of them. */
  attachAll(): Promise<void> {
    return this.inTurn(async () => {
      const tools = Map.groupBy(await this.table.tools(), ({ apiId }) => apiId);
      for (const record of await this.table.list()) await this.#attach(record, tools.get(record.id) ?? []);
    });
  }

  /** By its id or its name. */
  async find(idOrName: string): Promise<ApiRecord> {
    const found = (await this.table.get(idOrName)) ?? (await this.table.findByName(idOrName));
    if (!found) throw noSuch("API", idOrName);
    return found;
  }

  /** One change at a time. */
  inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const turn = this.#lastChange.then(change, change);
    this.#lastChange = turn.catch(() => {});
    return turn;
  }

  /** Within a turn: writes all or none, and offers what was written. */
  async save(writes: readonly ApiWrite[], told: string): Promise<void> {
    const { table, servers, attachments } = this.#ports;
    const before = new Map((await table.list()).map(({ id, name }) => [id, name]));
    for (const { api } of writes) if (!before.has(api.id)) await servers.freeName(api.name);
    await named("API", told, () => table.save(writes));
    for (const { api } of writes) {
      const old = before.get(api.id);
      if (old !== undefined && old !== api.name) await this.#ports.attachments.detach(old);
      const record = await table.get(api.id);
      if (record) await this.#attach(record, await table.tools(api.id));
    }
    attachments.announce();
  }

  /** Must be called within a turn. */
  async remove({ id, name }: ApiRecord): Promise<void> {
    // First in the store: while that is away, nothing is taken out of the hub.
    await this.table.delete(id);
    await this.#ports.attachments.detach(name);
    this.#ports.attachments.announce();
  }

  seal(id: string, secrets: object): string {
    return this.#ports.secrets.seal(secrets, contextOf(id));
  }

  unseal({ id, name, sealed }: ApiRecord): unknown {
    if (sealed === undefined) return undefined;
    try {
      return this.#ports.secrets.open(sealed, contextOf(id));
    } catch (cause) {
      throw cannotUnseal(name, cause);
    }
  }

  /** Whether it may be on a private address. Throws if one of the addresses is private and may not be. */
  allowsPrivate(addresses: readonly string[], principal: Principal): boolean {
    const rules = this.#ports.rules();
    return addresses.map((address) => checkAddress(address, principal, rules)).some((isAllowed) => isAllowed);
  }

  /** The hub as a whole may be allowed what this API is not. */
  get anyPrivate(): boolean {
    return this.#ports.rules().allowPrivate;
  }

  async isHealthy(record: ApiRecord, tool: ApiToolRecord): Promise<boolean> {
    const { options } = this.#ready(record, [tool]);
    return this.#ports.checker.isHealthy(record.name, options, operationIn(record, tool));
  }

  #ready(record: ApiRecord, tools: readonly ApiToolRecord[]): ReadyApi {
    const { options, concurrency } = readyApi(record, tools, this.unseal(record));
    return { options: { ...options, allowPrivate: this.anyPrivate }, concurrency };
  }

  async #attach(record: ApiRecord, tools: readonly ApiToolRecord[]): Promise<void> {
    if (!record.enabled || !tools.some(({ enabled }) => enabled)) return this.#ports.attachments.detach(record.name);
    try {
      const { options, concurrency } = this.#ready(record, tools);
      await this.#ports.attachments.attach(record.name, options, concurrency);
    } catch (cause) {
      // One that cannot be opened must not keep the others from coming up.
      await this.#ports.attachments.detach(record.name);
      this.#ports.report(cause);
    }
  }
}

/** What is sealed for one API opens for no other. */
export function contextOf(id: string): string {
  return `api:${id}`;
}
