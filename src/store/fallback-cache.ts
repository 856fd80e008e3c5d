/**
 * A cache that answers reads while the shared database is away: a query that was answered before gets its last answer again. It is
 * used for what is displayed, and for lookups during a call. No write depends on it, because writes are refused meanwhile.
 */
import { ZaguanError } from "../errors.ts";
import type { RegistryTables, ToolTable } from "./registry.ts";
import type { DocumentTable, Store } from "./store.ts";

/** The most records in all answers of one table. A tool has some 1.5 KB. */
const MOST_RECORDS = 20_000;
/** How long a call waits for the database before it takes the cached answer. */
export const FALLBACK_AFTER_MS = 1_000;

interface Bounds {
  readonly most?: number;
  /** How long to wait for the database before the cached answer is taken. @default for ever */
  readonly fallbackAfterMs?: number | undefined;
}

export class FallbackCache {
  readonly #most: number;
  readonly #fallbackAfterMs: number | undefined;
  /** Answers by query, the least recently asked first. */
  readonly #answers = new Map<string, unknown>();
  #records = 0;

  constructor({ most = MOST_RECORDS, fallbackAfterMs }: Bounds = {}) {
    this.#most = most;
    this.#fallbackAfterMs = fallbackAfterMs;
  }

  /** The answer of `ask` or, if the database is away, its last answer to the same query. */
  async read<Answer>(query: string, ask: () => Promise<Answer>): Promise<Answer> {
    const asked = ask().then((answer) => this.keep(query, answer));
    if (!this.#answers.has(query)) return await asked;
    return await orFallback(asked, this.#fallbackAfterMs, () => this.#answers.get(query) as Answer);
  }

  keep<Answer>(query: string, answer: Answer): Answer {
    this.#forget(query);
    if (sizeOf(answer) > this.#most / 2) return answer;
    this.#answers.set(query, answer);
    this.#records += sizeOf(answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#records <= this.#most) break;
      this.#forget(oldest);
    }
    return answer;
  }

  #forget(query: string): void {
    if (!this.#answers.has(query)) return;
    this.#records -= sizeOf(this.#answers.get(query));
    this.#answers.delete(query);
  }
}

/** The answer of the database, or the fallback if the database is away or does not answer in time. */
export function orFallback<Answer>(
  asked: Promise<Answer>,
  fallbackAfterMs: number | undefined,
  known: () => Answer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = fallbackAfterMs === undefined ? undefined : setTimeout(() => resolve(known()), fallbackAfterMs);
    const found = asked.catch((cause) => (isAway(cause) ? known() : Promise.reject(cause)));
    found.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

function isAway(cause: unknown): boolean {
  return cause instanceof ZaguanError && cause.code === "STORE_UNAVAILABLE";
}

function sizeOf(answer: unknown): number {
  return Array.isArray(answer) ? answer.length + 1 : 1;
}

/** The same table, whose methods `reads` answer from the cache while the database is away. */
function withFallback<Table extends object>(
  table: Table,
  reads: readonly (keyof Table)[],
  fallbackAfterMs?: number,
): Table {
  const cache = new FallbackCache({ fallbackAfterMs });
  return new Proxy(table, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...values: readonly unknown[]) => Promise<unknown>;
      if (!reads.includes(name as keyof Table)) return method.bind(target);
      return (...values: readonly unknown[]) =>
        cache.read(`${String(name)} ${JSON.stringify(values)}`, () => method.apply(target, values as unknown[]));
    },
  });
}

/**
 * A cached list must not be mistaken for the list of a real version: while the database is away, each version is a new negative
 * number.
 */
function withVersion(tools: ToolTable): ToolTable {
  const version = (): Promise<number> =>
    tools.version().catch((cause) => (isAway(cause) ? -Date.now() : Promise.reject(cause)));
  return new Proxy(tools, {
    get: (target, name) => (name === "version" ? version : Reflect.get(target, name)),
  });
}

/** Tables for lookups and tables for display are separate: a stale list may be shown, but must not remove sources from the hub. */
export interface FallbackStore extends Pick<Store, "keys" | "apis" | "documents"> {
  /** Falls back for single records, not for lists. */
  readonly forLookups: RegistryTables;
  /** Falls back for single records and lists. */
  readonly forDisplay: RegistryTables;
}

export function withFallbacks({ registry, keys, apis, documents }: Store): FallbackStore {
  const { servers, tools, agents, bindings } = registry;
  return {
    forLookups: {
      servers: withFallback(servers, ["get", "findByName", "findByTitle", "readLog"], FALLBACK_AFTER_MS),
      tools: withFallback(tools, ["get", "findByName"], FALLBACK_AFTER_MS),
      agents: withFallback(agents, ["get", "findByName"], FALLBACK_AFTER_MS),
      bindings,
    },
    forDisplay: {
      servers: withFallback(servers, ["get", "findByName", "findByTitle", "list", "count", "readLog"]),
      tools: withVersion(withFallback(tools, ["get", "findByName", "list", "count"])),
      agents: withFallback(agents, ["get", "findByName", "list", "count"]),
      bindings: withFallback(bindings, ["get", "listOf"]),
    },
    keys: withFallback(keys, ["list"]),
    apis: withFallback(apis, ["get", "findByName", "list", "tools", "findTool"]),
    documents: documentsWithFallback(documents),
  };
}

/** Documents that were written here are cached as they were written. */
function documentsWithFallback(documents: DocumentTable): DocumentTable {
  const cache = new FallbackCache();
  const query = (collection: string, key: string): string => JSON.stringify([collection, key]);
  return {
    // A reader may change the object that it gets, so that it gets a copy.
    get: async (...place) => structuredClone(await cache.read(query(...place), () => documents.get(...place))),
    // Who lists keeps what there was by itself.
    list: (collection) => documents.list(collection),
    put: async (collection, key, value) => {
      await documents.put(collection, key, value);
      cache.keep(query(collection, key), structuredClone(value));
    },
    delete: async (collection, key, only) => {
      await documents.delete(collection, key, only);
      // Of one that may be another by now it is not known whether it is gone.
      if (only === undefined) cache.keep(query(collection, key), undefined);
    },
    update: async (collection, key, change) => {
      const written = await documents.update(collection, key, change);
      cache.keep(query(collection, key), structuredClone(written));
      return written;
    },
  };
}
