/** The contract of the table of owners, which is in the database that all nodes share. Reference: test/simulation/database.ts. */
import type { LeaseRequest, OwnerRow } from "./lease-requests.ts";
import type { Peer } from "./peer.ts";

export interface LeaseTable {
  /**
   * Executes a request of lease-requests.ts as one statement; it must not name a key twice. Resolves with the rows as they are
   * afterwards, in any order. Rejects if the database cannot be reached or the answer is lost: the statement may have been
   * executed then, and may be repeated.
   */
  request(by: Peer, request: LeaseRequest): Promise<OwnerRow[]>;
  /** A new boot id, unique in the cluster; the boot ids of one node sort by age as text. */
  nextBoot(node: string): Promise<string>;
}
