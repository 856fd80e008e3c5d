/** The table of owners as a contract. A database that nodes share implements it; the reference is test/simulation/database.ts. */
import type { LeaseRequest, OwnerRow } from "./lease-requests.ts";
import type { Peer } from "./peer.ts";

export interface LeaseTable {
  /**
   * One statement for all its keys, none of which it names twice; answers with the rows as they are afterwards, in any order,
   * as lease-requests.ts says. Rejects where the database cannot be reached, and where its answer was lost: then nobody knows
   * what became of it, and it may be asked again.
   */
  request(by: Peer, request: LeaseRequest): Promise<OwnerRow[]>;
  /** Another one at each call, whichever node asks; those of one node sort by age as text. */
  nextBoot(node: string): Promise<string>;
}
