/**
 * How nodes and owners are named. A node id is the operator's name for a machine and outlives a restart; a boot id stands for
 * one run of the process. Boot ids of one node sort by age as text (the database counts them), so that a late message of an
 * earlier run is never taken for a newer one.
 */

export interface Peer {
  readonly node: string;
  readonly boot: string;
}

/** Who holds a key. Each change of hands raises the epoch, so that a request made for an earlier holder can be refused. */
export interface Owner extends Peer {
  readonly epoch: number;
}

export function isSamePeer(one: Peer | undefined, other: Peer): boolean {
  return one?.boot === other.boot && one.node === other.node;
}
