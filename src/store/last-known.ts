/**
 * Answers of a store that several nodes share, kept for while it is away: a question that was answered before gets its last answer
 * again. This is for whoever shows what is stored, or asks on the way of a call. Nothing that is written is decided by it, since
 * writes are refused meanwhile.
 */
import { ZaguanError } from "../errors.ts";
import type { RegistryTables, ToolTable } from "./registry.ts";
import type { DocumentTable, Store } from "./store.ts";

/** Of one table, all answers together. A tool has some 1.5 KB. */
const MOST_RECORDS = 20_000;
/** So long the store is waited for on the way of a call, where its last answer is known. */
export const PATIENCE_MS = 1_000;

interface Bounds {
  readonly most?: number;
  /** For how long a store that says nothing is waited for. @default for ever */
  readonly patienceMs?: number | undefined;
}

export class LastKnown {
  readonly #most: number;
  readonly #patienceMs: number | undefined;
  /** By question, the one that was asked longest ago first. */
  readonly #answers = new Map<string, unknown>();
  #records = 0;

  constructor({ most = MOST_RECORDS, patienceMs }: Bounds = {}) {
    this.#most = most;
    this.#patienceMs = patienceMs;
  }

  /** What `ask` gives; where the store is away, what it gave the last time. */
  async read<Answer>(question: string, ask: () => Promise<Answer>): Promise<Answer> {
    const asked = ask().then((answer) => this.keep(question, answer));
    if (!this.#answers.has(question)) return await asked;
    return await unlessAway(asked, this.#patienceMs, () => this.#answers.get(question) as Answer);
  }

  keep<Answer>(question: string, answer: Answer): Answer {
    this.#forget(question);
    if (sizeOf(answer) > this.#most / 2) return answer;
    this.#answers.set(question, answer);
    this.#records += sizeOf(answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#records <= this.#most) break;
      this.#forget(oldest);
    }
    return answer;
  }

  #forget(question: string): void {
    if (!this.#answers.has(question)) return;
    this.#records -= sizeOf(this.#answers.get(question));
    this.#answers.delete(question);
  }
}

/** What was asked for; what is known where the store is away, or says nothing for so long. */
export function unlessAway<Answer>(
  asked: Promise<Answer>,
  patienceMs: number | undefined,
  known: () => Answer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = patienceMs === undefined ? undefined : setTimeout(() => resolve(known()), patienceMs);
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

/** The same table, whose `reads` are answered while the store is away. */
function remembering<Table extends object>(table: Table, reads: readonly (keyof Table)[], patienceMs?: number): Table {
  const known = new LastKnown({ patienceMs });
  return new Proxy(table, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...values: readonly unknown[]) => Promise<unknown>;
      if (!reads.includes(name as keyof Table)) return method.bind(target);
      return (...values: readonly unknown[]) =>
        known.read(`${String(name)} ${JSON.stringify(values)}`, () => method.apply(target, values as unknown[]));
    },
  });
}

/** A list from memory must not be taken for that of the version which is true later: it has one that no other has. */
function withVersion(tools: ToolTable): ToolTable {
  const version = (): Promise<number> =>
    tools.version().catch((cause) => (isAway(cause) ? -Date.now() : Promise.reject(cause)));
  return new Proxy(tools, {
    get: (target, name) => (name === "version" ? version : Reflect.get(target, name)),
  });
}

/** What the registry looks up and what doors show, apart: by a list that is out of date nothing may be taken out of the hub. */
export interface RememberedStore extends Pick<Store, "keys" | "apis" | "documents"> {
  /** Single records are answered while the store is away, lists are not. */
  readonly looked: RegistryTables;
  /** Lists, too. */
  readonly shown: RegistryTables;
}

export function rememberReads({ registry, keys, apis, documents }: Store): RememberedStore {
  const { servers, tools, agents, bindings } = registry;
  return {
    looked: {
      servers: remembering(servers, ["get", "findByName", "findByTitle", "readLog"], PATIENCE_MS),
      tools: remembering(tools, ["get", "findByName"], PATIENCE_MS),
      agents: remembering(agents, ["get", "findByName"], PATIENCE_MS),
      bindings,
    },
    shown: {
      servers: remembering(servers, ["get", "findByName", "findByTitle", "list", "count", "readLog"]),
      tools: withVersion(remembering(tools, ["get", "findByName", "list", "count"])),
      agents: remembering(agents, ["get", "findByName", "list", "count"]),
      bindings: remembering(bindings, ["get", "listOf"]),
    },
    keys: remembering(keys, ["list"]),
    apis: remembering(apis, ["get", "findByName", "list", "tools", "findTool"]),
    documents: rememberDocuments(documents),
  };
}

/** What was written last is what is known. */
function rememberDocuments(documents: DocumentTable): DocumentTable {
  const known = new LastKnown();
  const question = (collection: string, key: string): string => JSON.stringify([collection, key]);
  return {
    // Whoever reads a document may change what it got.
    get: async (...place) => structuredClone(await known.read(question(...place), () => documents.get(...place))),
    put: async (collection, key, value) => {
      await documents.put(collection, key, value);
      known.keep(question(collection, key), structuredClone(value));
    },
    delete: async (...place) => {
      await documents.delete(...place);
      known.keep(question(...place), undefined);
    },
    update: async (collection, key, change) => {
      const written = await documents.update(collection, key, change);
      known.keep(question(collection, key), structuredClone(written));
      return written;
    },
  };
}
