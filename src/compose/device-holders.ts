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

/** One document for each name: thousands of boxes may come at once. */
const COLLECTION = "device-holders";
/** Of one principal, so that nobody fills the registry with names that stay there. */
export const MOST_NAMES = 10_000;

export class DeviceHolders {
  readonly #setup: HoldersSetup;
  #known = new Map<string, string>();
  #reading: Promise<void> | undefined;
  /** One after another, so that none goes by what was known before another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(setup: HoldersSetup) {
    this.#setup = setup;
  }

  of(name: string): string | undefined {
    return this.#known.get(name);
  }

  /** Whether it may have this name, too, for when the device is away. */
  hasRoom(name: string, principalId: string): boolean {
    if (this.#known.get(name) === principalId) return true;
    let names = 0;
    for (const holder of this.#known.values()) if (holder === principalId) names += 1;
    return names < MOST_NAMES;
  }

  /** Whoever was the first stays it, whichever node heard of it. */
  async keep(name: string, principalId: string): Promise<void> {
    if (this.#known.get(name) === principalId) return;
    await this.#inTurn(async () => {
      const holder = await this.#setup.documents.update(COLLECTION, name, (known) => known ?? principalId);
      this.#known.set(name, String(holder));
    });
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
    const found = await documents.list(COLLECTION);
    // Entries and keys are older than what is kept of them: those that are missing now were removed.
    const entered = new Set((await servers.list({ origin: "device" })).map(({ name }) => name));
    const valid = await this.#validPrincipals();
    const isFree = ({ key, value }: (typeof found)[number]): boolean => !entered.has(key) || !valid.has(String(value));
    const held = found.filter((one) => !isFree(one));
    this.#known = new Map(held.map(({ key, value }) => [key, String(value)]));
    try {
      // Only what was found: at another node the name may be somebody else's by now.
      for (const { key, value } of found.filter(isFree)) await documents.delete(COLLECTION, key, value);
    } catch {
      // While nothing can be stored, which the store tells of, they are free all the same; the next time they are found again.
    }
  }

  async #validPrincipals(): Promise<ReadonlySet<string>> {
    const keys = await this.#setup.keys.list();
    const valid = keys.filter(({ revokedUtc }) => revokedUtc === undefined).map(({ id }) => `key:${id}`);
    return new Set(this.#setup.hasLocalUser() ? [LOCAL.id, ...valid] : valid);
  }
}
