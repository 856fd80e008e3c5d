/**
 * The requests of nodes to the table of owners. Each is one statement, however many keys it names. The row of a key is never
 * deleted, so that its epoch only grows. All times are on the database's clock.
 *
 * - claim: the asking node gets the row for `leaseMs` if it is missing, released, expired, forced, or its own already. The epoch
 *   becomes one more than the larger of its old value and `above`. It stays if the row is already the asker's with an epoch over
 *   `above`: then the answer to an earlier claim was lost.
 * - renew: extends the lease to `leaseMs` from now, if boot and epoch match the row.
 * - release: frees the row, if boot and epoch match the row.
 * - locate: reads the rows.
 *
 * Every request is answered with the rows as they are afterwards.
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
  /** Takes the key from its owner: a device has dialled the asking node, and its newest socket counts. */
  readonly force: boolean;
}

export interface OwnerRow {
  readonly key: string;
  /** Undefined if the row is released, as is `boot`. */
  readonly node: string | undefined;
  readonly boot: string | undefined;
  readonly epoch: number;
  /** Milliseconds until the lease ends; 0 if nobody holds the key. */
  readonly leftMs: number;
  /** The previous owner, in the answer to a successful claim. */
  readonly before?: { readonly node: string; readonly boot: string } | undefined;
}
