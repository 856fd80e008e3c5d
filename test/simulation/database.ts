/**
 * The database of the simulation: one statement at a time, nothing that was answered is ever lost. What is unreliable is the
 * way to it and back. Its statements are the reference for those in SQL.
 */
import type { ClaimedKey, HeldKey, LeaseRequest, OwnerRow } from "../../src/cluster/lease-requests.ts";
import type { Peer } from "../../src/cluster/peer.ts";

interface Row {
  node: string | undefined;
  boot: string | undefined;
  epoch: number;
  until: number;
}

export class OwnerTable {
  readonly #rows = new Map<string, Row>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  execute(by: Peer, request: LeaseRequest): OwnerRow[] {
    const now = this.#clock();
    if (request.kind === "claim") return request.keys.map((key) => this.#claim(by, key, now, request.leaseMs));
    if (request.kind === "renew") for (const key of request.keys) this.#renew(by, key, now + request.leaseMs);
    else if (request.kind === "release") for (const key of request.keys) this.#release(by, key);
    return request.keys.flatMap(({ key }) => this.#answer(key, now) ?? []);
  }

  epochOf(key: string): number {
    return this.#rows.get(key)?.epoch ?? 0;
  }

  #claim(by: Peer, { key, above, force }: ClaimedKey, now: number, leaseMs: number): OwnerRow {
    const row = this.#rows.get(key) ?? { node: undefined, boot: undefined, epoch: 0, until: 0 };
    const isOurs = row.boot === by.boot;
    if (!isOurs && !force && row.boot !== undefined && row.until > now) return this.#answer(key, now) as OwnerRow;
    const before = row.node !== undefined && row.boot !== undefined ? { node: row.node, boot: row.boot } : undefined;
    if (!isOurs || row.epoch <= above) row.epoch = Math.max(row.epoch, above) + 1;
    Object.assign(row, { node: by.node, boot: by.boot, until: now + leaseMs });
    this.#rows.set(key, row);
    return { ...(this.#answer(key, now) as OwnerRow), before };
  }

  #renew(by: Peer, { key, epoch }: HeldKey, until: number): void {
    const row = this.#rows.get(key);
    if (row?.boot === by.boot && row.epoch === epoch) row.until = until;
  }

  #release(by: Peer, { key, epoch }: HeldKey): void {
    const row = this.#rows.get(key);
    if (row?.boot === by.boot && row.epoch === epoch)
      Object.assign(row, { node: undefined, boot: undefined, until: 0 });
  }

  #answer(key: string, now: number): OwnerRow | undefined {
    const row = this.#rows.get(key);
    if (!row) return undefined;
    return { key, node: row.node, boot: row.boot, epoch: row.epoch, leftMs: Math.max(0, row.until - now) };
  }
}
