/** API keys, for administrators: what `zaguan key` does in the store, done by the running hub, where it counts at once. */
import type { NewKey } from "../contract/key.ts";
import { makeKey } from "../security/api-keys.ts";
import type { KeyRecord, KeyTable } from "../store/store.ts";
import type { Agents } from "./agents.ts";
import { named, noSuch } from "./failures.ts";

interface KeysPorts {
  readonly keys: KeyTable;
  /** They know who is connected with the key of an agent. */
  readonly agents: Pick<Agents, "revokeKey">;
  /** What is remembered of keys is no longer true. */
  forgetKeys(): void;
}

/** A key that was just made. */
interface ShownKey {
  readonly record: KeyRecord;
  /** Shown once: the store has its hash alone. */
  readonly key: string;
}

export class Keys {
  readonly #ports: KeysPorts;
  /** Those that were revoked here, while somebody may still be connected with one. */
  readonly #revoked = new Set<string>();

  constructor(ports: KeysPorts) {
    this.#ports = ports;
  }

  /** Those that are not revoked, agents' included, in the order in which they were made. */
  async list(): Promise<readonly KeyRecord[]> {
    return (await this.#ports.keys.list()).filter(({ revokedUtc }) => revokedUtc === undefined);
  }

  /** Without `allow` it is for every tool; an administrator's key has none. */
  async create({ name, allow, admin }: NewKey): Promise<ShownKey> {
    const { key, kept } = makeKey({ name, ...(allow && { allow }), ...(admin && { admin }) });
    const record = await named("key", name, () => this.#ports.keys.create(kept));
    return { record, key };
  }

  /** By its id or its name, its own holder's too. Whoever is connected with it may do nothing from now on. */
  async revoke(idOrName: string): Promise<void> {
    const active = await this.list();
    const found = active.find(({ id }) => id === idOrName) ?? active.find(({ name }) => name === idOrName);
    const isDone = found !== undefined && (await this.#revoke(found));
    if (!isDone) throw noSuch("key", idOrName);
  }

  /** Revoked by another process, it is refused to whoever comes anew, but not known here. */
  isRevoked(id: string): boolean {
    return this.#revoked.has(id);
  }

  async #revoke({ id, agentId }: KeyRecord): Promise<boolean> {
    if (agentId !== undefined) return this.#ports.agents.revokeKey(agentId);
    const isDone = await this.#ports.keys.revoke(id);
    this.#revoked.add(id);
    this.#ports.forgetKeys();
    return isDone;
  }
}
