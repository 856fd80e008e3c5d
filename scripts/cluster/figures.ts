/**
 * The format of docs/cluster-figures.json: measurements of a cluster (`npm run measure:cluster`) and the simulation of a large one
 * (`npm run simulate -- --scale`). `npm run generate` makes docs/scale.md and its picture of it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Spread } from "../../bench/statistics.ts";
import type { ScaleReport } from "../../test/simulation/scale.ts";

const FILE = new URL("../../docs/cluster-figures.json", import.meta.url);

export interface ClusterFigures {
  readonly measured: MeasuredFigures;
  readonly simulated: ScaleReport & Circumstances;
}

/** When and on which machine the figures were measured, and how busy it was. */
export interface Circumstances {
  readonly date: string;
  readonly commit: string;
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
  /** The load average of one minute, before the start and at the end; at the end it includes the measurement itself. */
  readonly loadBefore: number;
  readonly loadAfter: number;
}

export interface MeasuredFigures extends Circumstances {
  readonly idle: IdleFigures;
  readonly calls: CallFigures;
  readonly revocation: RevocationFigures;
  readonly sessions: IdleClientFigures;
  readonly devices: IdleClientFigures;
  readonly start: StartFigures;
  readonly leases: LeaseFigures;
  readonly beat: BeatFigures;
}

/** Three idle nodes; each figure is for one node, unless noted. */
export interface IdleFigures {
  readonly seconds: number;
  readonly processorPercent: number;
  readonly residentMiB: number;
  readonly transactionsPerSecond: number;
  readonly busMessagesPerSecond: number;
  readonly busBytesPerSecond: number;
  /** Of the whole engine, with three nodes. */
  readonly natsPercent: number;
  readonly postgresPercent: number;
}

export interface CallFigures {
  readonly rounds: number;
  readonly connections: number;
  readonly local: RouteFigures;
  readonly forwarded: RouteFigures;
  /** Forwarded throughput divided by local throughput, per round. */
  readonly throughputRatio: Spread;
  /** Forwarded median minus local median with one call at a time, per round. */
  readonly addedMs: Spread;
}

/** Throughput and costs were measured with many connections, times with one. Costs are per call. */
interface RouteFigures {
  readonly perSecond: Spread;
  readonly medianMs: Spread;
  readonly p99Ms: Spread;
  readonly entryMs: number;
  readonly ownerMs: number;
  readonly sourceMs: number;
  readonly natsMs: number;
  readonly postgresMs: number;
  /** Messages that nodes send to NATS. */
  readonly busMessages: number;
  readonly busBytes: number;
}

/** The time from the request that revokes a key to the first refusal at each node. */
export interface RevocationFigures {
  readonly rounds: number;
  readonly nodes: number;
  /** At the node that got the request, and at the last of all nodes. */
  readonly hereMs: Spread;
  readonly everywhereMs: Spread;
}

/** The cost of idle sessions or devices, spread over three nodes. */
export interface IdleClientFigures {
  readonly count: number;
  readonly nodes: number;
  readonly openedInSeconds: number;
  /** Memory per client after a garbage collection: resident, and held by JavaScript. */
  readonly residentBytes: number;
  readonly heldBytes: number;
  /** Processor time per idle client and second. */
  readonly processorMicroseconds: number;
  /** Database transactions per client while it connects. */
  readonly transactionsEach: number;
}

export interface StartFigures {
  readonly sources: number;
  readonly tools: number;
  readonly rounds: number;
  /** The time until a node answers without sources, until it answers with all of them, and until it lists all their tools. */
  readonly emptyMs: Spread;
  readonly fullMs: Spread;
  readonly listedMs: Spread;
  /** The memory that one more source costs at every node. */
  readonly heldBytesEach: number;
}

/** The table of owners in PostgreSQL alone, with the statements of nodes. */
export interface LeaseFigures {
  readonly keys: number;
  readonly keysInStatement: number;
  readonly renewedPerSecond: number;
  readonly renewMicroseconds: number;
  readonly renewLogBytes: number;
  readonly claimMicroseconds: number;
}

/** Processor time of a node for one heartbeat over the bus. */
export interface BeatFigures {
  readonly sendMicroseconds: number;
  readonly hearMicroseconds: number;
}

export function readFigures(): ClusterFigures {
  return JSON.parse(readFileSync(FILE, "utf8")) as ClusterFigures;
}

/** Replaces one part of the file; the other stays as it was. */
export function writeFigures(part: Partial<ClusterFigures>): void {
  writeFileSync(FILE, `${JSON.stringify({ ...readFigures(), ...part }, rounded, 2)}\n`);
}

/** Rounds to four significant digits. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}
