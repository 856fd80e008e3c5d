/**
 * The table of owners in PostgreSQL, one statement per request. Rows are locked in the order of their keys, so that two statements
 * cannot deadlock, and a statement decides on each row as it is under the lock, not as it was when the statement began. The clock
 * is read under the lock too (`clock_timestamp()`; `now()` is the start of the transaction), so that a claim that had to wait
 * cannot end a lease that was renewed meanwhile.
 */
import type { LeaseRequest, OwnerRow } from "../../cluster/lease-requests.ts";
import type { LeaseTable } from "../../cluster/lease-table.ts";
import type { Peer } from "../../cluster/peer.ts";
import type { SqlRow } from "../sql/driver.ts";
import type { PostgresAddress } from "./address.ts";
import { openPostgresDriver, type PostgresDriver } from "./driver.ts";
import type { PoolLimits } from "./pool.ts";

/**
 * Leases have their own connections. In the store's pool a renewal would wait behind other reads and writes, each of which may take
 * 15 seconds, and a lease lasts ten. Here it waits only behind other lease requests, and at most three seconds for a connection
 * that does not answer. Connections are opened at the first request.
 */
const LIMITS: PoolLimits = { mostConnections: 2, statementMs: 2_500, giveUpMs: 3_000 };

export function openLeaseDriver(address: PostgresAddress): Promise<PostgresDriver> {
  return openPostgresDriver(address, LIMITS);
}

export class PostgresLeaseTable implements LeaseTable {
  readonly #driver: PostgresDriver;

  constructor(driver: PostgresDriver) {
    this.#driver = driver;
  }

  async request(by: Peer, request: LeaseRequest): Promise<OwnerRow[]> {
    const rows = await this.#ask(by, request);
    const isTaken = (row: SqlRow): boolean => request.kind === "claim" && row["boot"] === by.boot;
    return rows.map((row) => (isTaken(row) ? { ...toOwnerRow(row), before: beforeOf(row) } : toOwnerRow(row)));
  }

  /** Boot ids are unique over all nodes, because a row belongs to a node by its boot id alone. */
  async nextBoot(): Promise<string> {
    const [row] = await this.#driver.runReturning(NEXT_BOOT);
    return String(row?.["last"]).padStart(BOOT_DIGITS, "0");
  }

  #ask({ node, boot }: Peer, request: LeaseRequest): Promise<readonly SqlRow[]> {
    const driver = this.#driver;
    const listed = (values: readonly (string | number)[]) => driver.words.list(values.map(String));
    const keys = listed(request.keys.map(({ key }) => key));
    switch (request.kind) {
      case "claim": {
        const above = listed(request.keys.map((key) => key.above));
        const forced = listed(request.keys.map((key) => (key.force ? 1 : 0)));
        return driver.runReturning(CLAIM, node, boot, request.leaseMs, keys, above, forced, request.leaseMs);
      }
      case "renew":
        return driver.runReturning(RENEW, keys, listed(request.keys.map(epochOf)), request.leaseMs, boot);
      case "release":
        return driver.runReturning(RELEASE, keys, listed(request.keys.map(epochOf)), boot);
      case "locate":
        return driver.all(LOCATE, keys);
    }
  }
}

const ROW = `
  key, node, boot, epoch,
  CASE WHEN boot IS NULL THEN 0
    ELSE CAST(ceil(greatest(0, extract(epoch FROM lease_end - clock_timestamp()) * 1000)) AS BIGINT)
  END AS left_ms`;
const LEASE = "clock_timestamp() + ?::double precision * interval '1 millisecond'";

/**
 * An existing row is always written, with its old values if the claim is refused, because RETURNING covers only written rows.
 * `excluded` is the claim, `held` the row under the lock. `is_taken` is evaluated once for all columns: with an evaluation per
 * column, a lease might end between two of them.
 */
const CLAIM = `
  INSERT INTO owners AS held (key, node, boot, epoch, forced, lease_end)
  SELECT key, ?::text, ?::text, above + 1, forced, ${LEASE}
  FROM unnest(?::text[], ?::text[]::bigint[], ?::text[]::integer[]) AS asked (key, above, forced)
  ORDER BY key COLLATE "C"
  ON CONFLICT (key) DO UPDATE SET (node, boot, epoch, forced, lease_end, before_node, before_boot) = (
    SELECT
      CASE WHEN is_taken THEN excluded.node ELSE held.node END,
      CASE WHEN is_taken THEN excluded.boot ELSE held.boot END,
      CASE WHEN NOT is_taken OR (held.boot = excluded.boot AND held.epoch >= excluded.epoch) THEN held.epoch
        ELSE greatest(held.epoch + 1, excluded.epoch)
      END,
      CASE WHEN is_taken THEN excluded.forced ELSE held.forced END,
      CASE WHEN is_taken THEN ${LEASE} ELSE held.lease_end END,
      CASE WHEN is_taken THEN held.node ELSE held.before_node END,
      CASE WHEN is_taken THEN held.boot ELSE held.before_boot END
    FROM (
      SELECT held.boot IS NULL OR held.boot = excluded.boot OR excluded.forced = 1 OR held.lease_end <= clock_timestamp()
        AS is_taken
    ) AS claim
  )
  RETURNING ${ROW}, before_node, before_boot`;

/**
 * Locks all named rows in order, then changes those that belong to the asking boot and epoch. The other rows are returned as they
 * are.
 */
function changing(columns: string): string {
  return `
    WITH locked AS (
      SELECT held.*, asked.epoch AS asked_epoch
      FROM owners AS held
      JOIN unnest(?::text[], ?::text[]::bigint[]) AS asked (key, epoch) ON asked.key = held.key
      ORDER BY held.key
      FOR NO KEY UPDATE OF held
    ), changed AS (
      UPDATE owners AS held SET ${columns}
      FROM locked
      WHERE held.key = locked.key AND held.boot = ? AND held.epoch = locked.asked_epoch
      RETURNING held.*
    )
    SELECT ${ROW} FROM changed
    UNION ALL
    SELECT ${ROW} FROM locked WHERE key NOT IN (SELECT key FROM changed)`;
}

const RENEW = changing(`lease_end = ${LEASE}`);
const RELEASE = changing("node = NULL, boot = NULL, lease_end = clock_timestamp()");
const LOCATE = `SELECT ${ROW} FROM owners WHERE key IN (SELECT unnest(?::text[]))`;

/**
 * The time in milliseconds, or one more than the last boot id if that is larger: a database that was moved or restored from a
 * backup has lost its counter, and must not issue boot ids below earlier ones.
 */
const NEXT_BOOT = `
  UPDATE boots SET last = greatest(last + 1, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT))
  RETURNING last`;
/** The digits of the largest safe integer: boot ids of one length sort as text. */
const BOOT_DIGITS = String(Number.MAX_SAFE_INTEGER).length;

function epochOf({ epoch }: { readonly epoch: number }): number {
  return epoch;
}

function toOwnerRow(row: SqlRow): OwnerRow {
  return {
    key: row["key"] as string,
    node: textIn(row, "node"),
    boot: textIn(row, "boot"),
    epoch: Number(row["epoch"]),
    leftMs: Number(row["left_ms"]),
  };
}

function beforeOf(row: SqlRow): Peer | undefined {
  const [node, boot] = [textIn(row, "before_node"), textIn(row, "before_boot")];
  return node === undefined || boot === undefined ? undefined : { node, boot };
}

function textIn(row: SqlRow, column: string): string | undefined {
  return (row[column] as string | null) ?? undefined;
}
