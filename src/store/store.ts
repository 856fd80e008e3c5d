/**
 * What Zaguan keeps over restarts, as a contract: SQLite and PostgreSQL implement it, and one test suite is
 * written against it. Every write that resolved is durable.
 */
import type { LeaseTable } from "../cluster/lease-table.ts";
import type { ApiTable } from "./apis.ts";
import type { RegistryTables } from "./registry.ts";
import type { SealedTexts } from "./sealed.ts";

export interface Store {
  readonly keys: KeyTable;
  readonly documents: DocumentTable;
  readonly registry: RegistryTables;
  readonly apis: ApiTable;
  readonly sessions: BridgeSessionTable;
  readonly mcpSessions: McpSessionTable;
  readonly sealed: SealedTexts;
  /** The address of a shared database, without credentials; undefined for the embedded database. */
  readonly address?: string | undefined;
  /** The table of owners; only in a database that nodes can share. */
  readonly leases?: LeaseTable | undefined;
  /** Why nothing can be written at the moment; undefined if writes work. Now and then it tries a small write to find out. */
  fault(): string | undefined;
  /** Calls the listener whenever `fault` changes. */
  onFault(listener: (fault: string | undefined) => void): void;
  close(): Promise<void>;
}

/** API keys; only hashes are ever stored. */
export interface KeyTable {
  /** Rejects with `NameTaken` if an active key has that name, with `Dangling` if there is no such agent. */
  create(key: NewKey): Promise<KeyRecord>;
  /** In the order of creation; all of them, or those of one agent. */
  list(query?: { readonly agentId?: string | undefined }): Promise<readonly KeyRecord[]>;
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
  /** The agent whose key it is, and with which it is deleted; absent for an ordinary key. */
  readonly agentId?: string | undefined;
  /** Its holder may change what others use; absent for an ordinary key. */
  readonly admin?: boolean | undefined;
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
  /** All of a collection, in the order of their keys. */
  list(collection: string): Promise<readonly { readonly key: string; readonly value: unknown }[]>;
  put(collection: string, key: string, value: unknown): Promise<void>;
  /** @param only if it still has this value */
  delete(collection: string, key: string, only?: unknown): Promise<void>;
  /**
   * Reads, changes and writes as one; no other writer, in this process or another, comes in between. `change` gets
   * undefined if there is none, and must not wait for anything. Resolves with what was written.
   */
  update(collection: string, key: string, change: (value: unknown) => unknown): Promise<unknown>;
}

/** Sessions of the bridge, which outlive a restart. */
export interface BridgeSessionTable {
  /** Those that expire last, at most so many, the soonest first. */
  list(most: number): Promise<readonly BridgeSessionRecord[]>;
  get(id: string): Promise<BridgeSessionRecord | undefined>;
  /**
   * Makes it, or writes it anew. False, and nothing written, if another principal has a session of that id that expires
   * after `freeUtc`.
   */
  put(session: BridgeSessionRecord, freeUtc: string): Promise<boolean>;
  /** All in one; those that are gone stay so. */
  slide(expiries: readonly BridgeSessionExpiry[]): Promise<void>;
  /** Tells whether there was one. */
  delete(id: string): Promise<boolean>;
  /** Of these, or of all, those that do not live longer than that. */
  deleteExpired(utc: string, ids?: readonly string[]): Promise<void>;
}

export interface BridgeSessionRecord extends BridgeSessionExpiry {
  /** Whose it is, and nobody else's. */
  readonly principalId: string;
  readonly protocolVersion: string;
  /** What its client calls itself. */
  readonly clientId?: string | undefined;
  readonly createdUtc: string;
}

export interface BridgeSessionExpiry {
  readonly id: string;
  readonly expiresUtc: string;
}

/** MCP sessions that nodes share: one node holds each, and another can take it over. */
export interface McpSessionTable {
  /** Creates the session, or updates its state if this holder still has it. */
  put(session: McpSessionRecord, seenUtc: string): Promise<void>;
  get(id: string): Promise<McpSessionRecord | undefined>;
  /** Moves the session to another holder; false, without a change, if `from` no longer has it. */
  move(id: string, from: SessionHolder, to: SessionHolder): Promise<boolean>;
  /** Deletes the session if this holder still has it. */
  delete(id: string, holder: SessionHolder): Promise<void>;
  /** Marks sessions as in use. */
  touch(ids: readonly string[], seenUtc: string): Promise<void>;
  /** Deletes the sessions that were not in use since then. */
  deleteUnseen(utc: string): Promise<void>;
}

/** The node that holds a session, with its boot id. */
export interface SessionHolder {
  readonly node: string;
  readonly boot: string;
}

export interface McpSessionRecord extends SessionHolder {
  /** A hash of the session id, so that whoever reads the table cannot use the session. */
  readonly id: string;
  readonly door: string;
  readonly scope: string;
  readonly principalId: string;
  /** What another node needs to take the session over, as JSON. */
  readonly state: string;
}
