/** How much memory a process holds, and how many sockets, as the kernel counts them. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Resident memory in MB; 0 if the process is gone. */
export function residentMb(pid: number): number {
  return field(pid, "VmRSS");
}

/** When it has had time to do nothing, and holds no less after a while: Node gives back what it does not need. */
export async function settledMb(pid: number, patienceMs = 60_000): Promise<number> {
  for (const until = performance.now() + patienceMs; ; ) {
    const before = residentMb(pid);
    if (performance.now() >= until) return before;
    await sleep(SETTLE_MS);
    if (Math.abs(residentMb(pid) - before) <= 1) return residentMb(pid);
  }
}

const SETTLE_MS = 5_000;

/** The most that it ever was. */
export function peakMb(pid: number): number {
  return field(pid, "VmHWM");
}

export function openSockets(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((file) => isSocket(`${folder}/${file}`)).length;
}

function isSocket(link: string): boolean {
  try {
    return readlinkSync(link).startsWith("socket:");
  } catch {
    return false;
  }
}

function field(pid: number, name: string): number {
  try {
    const kilobytes = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
    return Math.round(Number(kilobytes ?? 0) / 1_024);
  } catch {
    return 0;
  }
}
