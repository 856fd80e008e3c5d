/**
 * Whose a device's name is while the device is away: the principal's that dialled with it when it came into the registry, for
 * agents are linked to what stands there. It is free again when its entry in the registry is removed, or its holder is gone.
 */
import type { ServerTable } from "../store/registry.ts";
import type { DocumentTable, KeyTable } from "../store/store.ts";
import { LOCAL } from "./ordered-calls.ts";

interface HoldersSetup {
  readonly documents: DocumentTable;
  readonly servers: Pick<ServerTable, "list">;
  readonly keys: Pick<KeyTable, "list">;
  /** Whether anybody still comes without a key. */
  hasLocalUser(): boolean;
}

type ByName = Readonly<Record<string, string>>;

const PLACE = ["devices", "holders"] as const;

export class DeviceHolders {
  readonly #setup: HoldersSetup;
  #known: ByName = {};
  #reading: Promise<void> | undefined;
  /** One after another, so that none goes by what was known before another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(setup: HoldersSetup) {
    this.#setup = setup;
  }

  of(name: string): string | undefined {
    return this.#known[name];
  }

  /** Whoever was the first stays it, whichever node heard of it. */
  async keep(name: string, principalId: string): Promise<void> {
    if (this.#known[name] === principalId) return;
    await this.#inTurn(() => this.#update((known) => ({ [name]: principalId, ...known })));
  }

  /** Reads what other nodes have kept, and frees what is nobody's any more; who asks meanwhile waits for the same. */
  read(): Promise<void> {
    this.#reading ??= this.#inTurn(() => this.#read()).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #read(): Promise<void> {
    const { documents, servers } = this.#setup;
    const found = byName(await documents.get(...PLACE));
    // Entries and keys are older than what is kept of them: those that are missing now were removed.
    const entered = new Set((await servers.list({ origin: "device" })).map(({ name }) => name));
    const valid = await this.#validPrincipals();
    const isFree = ([name, id]: [string, string]): boolean => !entered.has(name) || !valid.has(id);
    const free = new Map(Object.entries(found).filter(isFree));
    if (free.size === 0) this.#known = found;
    else await this.#update((known) => pick(known, (name, id) => free.get(name) !== id));
  }

  async #validPrincipals(): Promise<ReadonlySet<string>> {
    const keys = await this.#setup.keys.list();
    const valid = keys.filter(({ revokedUtc }) => revokedUtc === undefined).map(({ id }) => `key:${id}`);
    return new Set(this.#setup.hasLocalUser() ? [LOCAL.id, ...valid] : valid);
  }

  async #update(change: (known: ByName) => ByName): Promise<void> {
    const { documents } = this.#setup;
    this.#known = byName(await documents.update(...PLACE, (known) => change(byName(known))));
  }
}

function byName(value: unknown): ByName {
  return (value ?? {}) as ByName;
}

function pick(known: ByName, isKept: (name: string, id: string) => boolean): ByName {
  return Object.fromEntries(Object.entries(known).filter(([name, id]) => isKept(name, id)));
}
