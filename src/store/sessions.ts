/** Sessions of the bridge, which outlive a restart. A contract like `store.ts`: every write that resolved is durable. */

export interface BridgeSessionTable {
  /** Those that expire last, at most so many, the soonest first. */
  list(most: number): Promise<readonly BridgeSessionRecord[]>;
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
