/** Measures what the table of owners costs PostgreSQL: the leases of many nodes, claimed once and then renewed repeatedly. */
import type { LeaseRequest } from "../../src/cluster/lease-requests.ts";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { openLeaseDriver, PostgresLeaseTable } from "../../src/store/postgres/lease-table.ts";
import type { LeaseFigures } from "./figures.ts";
import { postgresMs } from "./usage.ts";
import type { ClusterWorld } from "./world.ts";

/** The keys of one of a thousand nodes that share a million sources. */
const KEYS_OF_NODE = 1_000;
const LEASE_MS = 600_000;
/** Concurrent statements: as many as the driver has connections. */
const AT_ONCE = 2;

/** `schema` is one that nodes have used before, so that the table exists. */
export async function measureLeases(
  world: ClusterWorld,
  schema: string,
  nodes: number,
  seconds: number,
): Promise<LeaseFigures> {
  const driver = await openLeaseDriver(parseAddress(world.postgres.url(schema), {}));
  const table = new PostgresLeaseTable(driver);
  const keys = nodes * KEYS_OF_NODE;
  const cost = async (work: () => Promise<number>): Promise<{ rows: number; ms: number; microseconds: number }> => {
    const [before, startedAt] = [postgresMs(world.postgres.folder), performance.now()];
    const rows = await work();
    const busyMs = postgresMs(world.postgres.folder) - before;
    return { rows, ms: performance.now() - startedAt, microseconds: (busyMs * 1_000) / rows };
  };
  try {
    const claimed = await cost(() => askAll(table, nodes, "claim", performance.now() + 1));
    const logBefore = logPosition(world);
    const renewed = await cost(() => askAll(table, nodes, "renew", performance.now() + seconds * 1_000));
    return {
      keys,
      keysInStatement: KEYS_OF_NODE,
      renewedPerSecond: (renewed.rows / renewed.ms) * 1_000,
      renewMicroseconds: renewed.microseconds,
      renewLogBytes: (logPosition(world) - logBefore) / renewed.rows,
      claimMicroseconds: claimed.microseconds,
    };
  } finally {
    await driver.close();
  }
}

/**
 * Sends the statement of every node at least once, and repeats until the time is over; returns the number of rows in all answers.
 */
async function askAll(
  table: PostgresLeaseTable,
  nodes: number,
  kind: "claim" | "renew",
  until: number,
): Promise<number> {
  let next = 0;
  let answered = 0;
  const worker = async (): Promise<void> => {
    while (next < nodes || performance.now() < until) {
      const number = next++ % nodes;
      const by = { node: `n${number}`, boot: `measured-${number}` };
      // On a busy machine a statement may time out; it is repeated, as a node would do.
      const rows = await table.request(by, requestOf(kind, number)).catch(() => []);
      answered += rows.length;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return answered;
}

function requestOf(kind: "claim" | "renew", node: number): LeaseRequest {
  const keys = Array.from({ length: KEYS_OF_NODE }, (_, key) => `measured-${node}-${key}`);
  if (kind === "claim") return { kind, leaseMs: LEASE_MS, keys: keys.map((key) => ({ key, above: 0, force: false })) };
  return { kind, leaseMs: LEASE_MS, keys: keys.map((key) => ({ key, epoch: 1 })) };
}

/** The position of the write-ahead log, in bytes. */
function logPosition({ postgres }: ClusterWorld): number {
  return Number(postgres.sql("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"));
}
