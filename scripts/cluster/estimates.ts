/**
 * Estimates of what a large cluster needs: measured costs times a number, divided by the capacity of a machine. The capacities are
 * assumptions, all in this file.
 */
import type { ClusterFigures, IdleClientFigures } from "./figures.ts";

export const WANTED = { nodes: 100, devices: 1_000_000, callsPerSecond: 100_000 } as const;

/** Assumed capacities. `busyShare` leaves headroom for bursts. */
export const ASSUMED = {
  busyShare: 0.7,
  /** JavaScript runs in one thread. */
  nodeCores: 1,
  nodeMemoryGiB: 4,
  engineCores: 8,
  networkGbits: 10,
} as const;

const RENEW_SECONDS = 3;
const GIB = 2 ** 30;

/** How many devices, or calls a second, one resource can carry. */
export interface Resource {
  readonly name: string;
  readonly unit: "devices" | "calls a second";
  readonly carries: number;
  readonly wanted: number;
  /** The calculation in words, with the measured cost. */
  readonly how: string;
  /** True if hubs do not use the resource this way yet, only if a plan is carried out. */
  readonly isPlanned?: boolean;
}

/** All resources, the scarcest first. */
export function resourcesOf({ measured }: ClusterFigures): Resource[] {
  return [...deviceResources(measured), ...callResources(measured)].sort(
    (one, other) => one.carries / one.wanted - other.carries / other.wanted,
  );
}

function deviceResources({ devices, start, leases }: ClusterFigures["measured"]): Resource[] {
  const { nodes, devices: wanted } = WANTED;
  const { busyShare, nodeMemoryGiB, nodeCores, engineCores } = ASSUMED;
  const rowsPerSecond = (engineCores * busyShare * 1e6) / leases.renewMicroseconds;
  const of = (name: string, carries: number, how: string, isPlanned = false): Resource => {
    return { name, unit: "devices", carries, wanted, how, isPlanned };
  };
  return [
    of(
      "memory: every node knows every device",
      (nodeMemoryGiB * GIB) / start.heldBytesEach,
      `${nodeMemoryGiB} GiB over ${kilobytes(start.heldBytesEach)} for each registered source, at each node`,
      true,
    ),
    of(
      "PostgreSQL: a lease for each device",
      rowsPerSecond * RENEW_SECONDS,
      `${engineCores} cores, ${percent(busyShare)} busy, over ${leases.renewMicroseconds.toFixed(0)} µs for each renewed row, ${RENEW_SECONDS} s long`,
      true,
    ),
    of(
      "memory: sockets and tools of a node's own devices",
      (nodes * nodeMemoryGiB * GIB) / memoryOf(devices),
      `${nodes} times ${nodeMemoryGiB} GiB over ${kilobytes(memoryOf(devices))} for each device`,
    ),
    of(
      "processor: idle devices",
      (nodes * nodeCores * busyShare * 1e6) / idleMicroseconds(devices),
      `${nodes} threads, ${percent(busyShare)} busy, over ${idleMicroseconds(devices).toFixed(1)} µs a second for each device`,
    ),
  ];
}

function callResources({ calls: { local, forwarded } }: ClusterFigures["measured"]): Resource[] {
  const { nodes, callsPerSecond: wanted } = WANTED;
  const { busyShare, nodeCores, engineCores, networkGbits } = ASSUMED;
  const of = (name: string, carries: number, how: string): Resource => {
    return { name, unit: "calls a second", carries, wanted, how };
  };
  const threads = `${nodes} threads, ${percent(busyShare)} busy, over`;
  const both = forwarded.entryMs + forwarded.ownerMs;
  return [
    of(
      "processor: nodes, all calls forwarded",
      (nodes * nodeCores * busyShare * 1_000) / both,
      `${threads} ${both.toFixed(2)} ms for each call at both of its nodes`,
    ),
    of(
      "processor: nodes, no call forwarded",
      (nodes * nodeCores * busyShare * 1_000) / local.entryMs,
      `${threads} ${local.entryMs.toFixed(2)} ms for each call`,
    ),
    of(
      "processor: one NATS server",
      (engineCores * busyShare * 1_000) / forwarded.natsMs,
      `${engineCores} cores, ${percent(busyShare)} busy, over ${forwarded.natsMs.toFixed(3)} ms for each forwarded call`,
    ),
    of(
      "network of one NATS server",
      (networkGbits * 1e9 * busyShare) / 8 / forwarded.busBytes,
      `${networkGbits} Gbit/s each way, ${percent(busyShare)} used, over ${kilobytes(forwarded.busBytes)} for each forwarded call`,
    ),
  ];
}

/** Resident memory or, if that is less because the process reused free memory, what JavaScript holds. */
export function memoryOf({ residentBytes, heldBytes }: IdleClientFigures): number {
  return Math.max(residentBytes, heldBytes);
}

/** At least 1: smaller differences between two readings on a busy machine are noise. */
export function idleMicroseconds({ processorMicroseconds }: IdleClientFigures): number {
  return Math.max(1, processorMicroseconds);
}

export function kilobytes(bytes: number): string {
  return `${(bytes / 1_024).toFixed(1)} KiB`;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Two significant digits; millions as a word. */
export function rough(value: number): string {
  const digits = Number(value.toPrecision(2));
  if (digits >= 1e6) return `${(digits / 1e6).toLocaleString("en")} million`;
  return digits.toLocaleString("en");
}
