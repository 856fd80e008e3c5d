/** How much memory a process holds, as the kernel counts it. */
import { readFileSync } from "node:fs";

/** Resident memory in MB; 0 if the process is gone. */
export function residentMb(pid: number): number {
  return field(pid, "VmRSS");
}

/** The most that it ever was. */
export function peakMb(pid: number): number {
  return field(pid, "VmHWM");
}

function field(pid: number, name: string): number {
  try {
    const kilobytes = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
    return Math.round(Number(kilobytes ?? 0) / 1_024);
  } catch {
    return 0;
  }
}
