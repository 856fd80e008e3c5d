/**
 * The identity of nodes and owners. A node id is the operator's name for a machine and survives a restart; a boot id identifies
 * one run of the process. The boot ids of one node sort by age as text (the database issues them), so that a late message of an
 * earlier run is never taken for one of a newer run.
 */

export interface Peer {
  readonly node: string;
  readonly boot: string;
}

/** The owner of a key. Each new owner has a higher epoch, so that a request meant for an earlier owner can be refused. */
export interface Owner extends Peer {
  readonly epoch: number;
}

export function isSamePeer(one: Peer | undefined, other: Peer): boolean {
  return one?.boot === other.boot && one.node === other.node;
}
