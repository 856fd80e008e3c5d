/**
 * What was measured of a cluster (`npm run measure:cluster`) and simulated of a large one (`npm run simulate -- --scale`), as
 * docs/cluster-figures.json keeps it. docs/scale.md and its picture are made of it by `npm run generate`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Spread } from "../../bench/statistics.ts";
import type { ScaleReport } from "../../test/simulation/scale.ts";

const FILE = new URL("../../docs/cluster-figures.json", import.meta.url);

export interface ClusterFigures {
  readonly measured: MeasuredFigures;
  readonly simulated: ScaleReport & Made;
}

/** When, on what and beside what the figures were made. */
export interface Made {
  readonly date: string;
  readonly commit: string;
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
  /** Processes that wanted to run, the mean of the minute before the begin and before the end; our own count at the end. */
  readonly loadBefore: number;
  readonly loadAfter: number;
}

export interface MeasuredFigures extends Made {
  readonly idle: IdleFigures;
  readonly calls: CallFigures;
  readonly revocation: RevocationFigures;
  readonly sessions: HolderFigures;
  readonly devices: HolderFigures;
  readonly start: StartFigures;
  readonly leases: LeaseFigures;
  readonly beat: BeatFigures;
}

/** Three nodes of which nobody wants anything, each figure for one node. */
export interface IdleFigures {
  readonly seconds: number;
  readonly processorPercent: number;
  readonly residentMiB: number;
  readonly transactionsPerSecond: number;
  readonly busMessagesPerSecond: number;
  readonly busBytesPerSecond: number;
  /** Of the whole engine, for three nodes. */
  readonly natsPercent: number;
  readonly postgresPercent: number;
}

export interface CallFigures {
  readonly rounds: number;
  readonly connections: number;
  readonly local: WayFigures;
  readonly forwarded: WayFigures;
  /** Of the local throughput, round by round. */
  readonly throughputRatio: Spread;
  /** Over the local median with one call at a time, round by round. */
  readonly addedMs: Spread;
}

/** Throughput and costs with many connections, times with one. Costs are of one call. */
interface WayFigures {
  readonly perSecond: Spread;
  readonly medianMs: Spread;
  readonly p99Ms: Spread;
  readonly entryMs: number;
  readonly ownerMs: number;
  readonly sourceMs: number;
  readonly natsMs: number;
  readonly postgresMs: number;
  /** That nodes hand to NATS. */
  readonly busMessages: number;
  readonly busBytes: number;
}

/** From the request that revokes a key to the first refusal at each node. */
export interface RevocationFigures {
  readonly rounds: number;
  readonly nodes: number;
  /** At the node that was asked, and at the last of the others. */
  readonly hereMs: Spread;
  readonly everywhereMs: Spread;
}

/** What so many idle sessions or devices cost, spread over three nodes. */
export interface HolderFigures {
  readonly count: number;
  readonly nodes: number;
  readonly openedInSeconds: number;
  /** Each, after a collection of garbage: resident, and what JavaScript holds. */
  readonly residentBytes: number;
  readonly heldBytes: number;
  /** Each, in a second in which it does nothing. */
  readonly processorMicroseconds: number;
  /** In the database, while they came. */
  readonly transactionsEach: number;
}

export interface StartFigures {
  readonly sources: number;
  readonly tools: number;
  readonly rounds: number;
  /** Until it answers: without any source, and with all of them; then until it lists all their tools. */
  readonly emptyMs: Spread;
  readonly fullMs: Spread;
  readonly listedMs: Spread;
  /** What one more source costs every node. */
  readonly heldBytesEach: number;
}

/** The table of owners in PostgreSQL alone, asked as nodes do. */
export interface LeaseFigures {
  readonly keys: number;
  readonly keysInStatement: number;
  readonly renewedPerSecond: number;
  readonly renewMicroseconds: number;
  readonly renewLogBytes: number;
  readonly claimMicroseconds: number;
}

/** One heartbeat over the bus, processor time of the node. */
export interface BeatFigures {
  readonly sendMicroseconds: number;
  readonly hearMicroseconds: number;
}

export function readFigures(): ClusterFigures {
  return JSON.parse(readFileSync(FILE, "utf8")) as ClusterFigures;
}

/** Replaces one part; the other stays as it was. */
export function writeFigures(part: Partial<ClusterFigures>): void {
  writeFileSync(FILE, `${JSON.stringify({ ...readFigures(), ...part }, rounded, 2)}\n`);
}

/** Four digits say all that such figures can say. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}
