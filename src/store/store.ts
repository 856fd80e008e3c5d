/**
 * What Zaguan keeps over restarts, as a contract: SQLite implements it now, PostgreSQL later, and one test suite is
 * written against it. Every write that resolved is durable.
 */

export interface Store {
  readonly keys: KeyTable;
  readonly documents: DocumentTable;
  close(): Promise<void>;
}

/** API keys; only hashes are ever stored. */
export interface KeyTable {
  /** Rejects with a TypeError if an active key has that name. */
  create(key: NewKey): Promise<KeyRecord>;
  list(): Promise<readonly KeyRecord[]>;
  /** Only keys that are not revoked. */
  findByHash(hash: string): Promise<KeyRecord | undefined>;
  /** By id or name; tells whether there was an active one. */
  revoke(idOrName: string): Promise<boolean>;
  touch(id: string, usedUtc: string): Promise<void>;
  countActive(): Promise<number>;
}

export interface NewKey {
  readonly name: string;
  readonly hash: string;
  /** The first characters of the key, so that people can tell keys apart. */
  readonly hint: string;
  /** Tool patterns, absent for all. */
  readonly allow?: readonly string[] | undefined;
}

export interface KeyRecord extends NewKey {
  readonly id: string;
  readonly createdUtc: string;
  readonly lastUsedUtc?: string | undefined;
  readonly revokedUtc?: string | undefined;
}

/** Small JSON documents by collection and key: the house's state, the last known tools of each source. */
export interface DocumentTable {
  get(collection: string, key: string): Promise<unknown>;
  put(collection: string, key: string, value: unknown): Promise<void>;
  delete(collection: string, key: string): Promise<void>;
  /**
   * Reads, changes and writes as one; no other writer, in this process or another, comes in between. `change` gets
   * undefined if there is none, and must not wait for anything. Resolves with what was written.
   */
  update(collection: string, key: string, change: (value: unknown) => unknown): Promise<unknown>;
}
