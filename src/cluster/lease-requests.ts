/**
 * What a node asks of the table of owners, one statement each, however many keys it names. The row of a key is never deleted,
 * so that its epoch only grows; every instant is on the database's clock.
 *
 * - claim: the row becomes ours for `leaseMs` if it is missing, released, expired, forced, or ours already. Its epoch becomes
 *   one more than the larger of what it was and `above`, unless it is ours with an epoch over `above`: then the answer to an
 *   earlier claim was lost, and the epoch stays.
 * - renew: the row is ours for `leaseMs` from now, if boot and epoch are those of the row.
 * - release: nobody's, if boot and epoch are those of the row.
 * - locate: only looks.
 *
 * All of them answer with the rows as they are afterwards.
 */

export type LeaseRequest =
  | { readonly kind: "claim"; readonly leaseMs: number; readonly keys: readonly ClaimedKey[] }
  | { readonly kind: "renew"; readonly leaseMs: number; readonly keys: readonly HeldKey[] }
  | { readonly kind: "release"; readonly keys: readonly HeldKey[] }
  | { readonly kind: "locate"; readonly keys: readonly { readonly key: string }[] };

export interface HeldKey {
  readonly key: string;
  readonly epoch: number;
}

export interface ClaimedKey {
  readonly key: string;
  readonly above: number;
  /** Taken from whoever holds it: a device has dialled us, and its newest socket counts. */
  readonly force: boolean;
}

export interface OwnerRow {
  readonly key: string;
  /** Undefined where it was released, as is `boot`. */
  readonly node: string | undefined;
  readonly boot: string | undefined;
  readonly epoch: number;
  /** Until the lease ends; 0 where nobody holds it. */
  readonly leftMs: number;
  /** In the answer to a claim that changed hands: who had it before. */
  readonly before?: { readonly node: string; readonly boot: string } | undefined;
}
