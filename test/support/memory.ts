/** How much memory a process holds, and how many sockets, as the kernel counts them. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Resident memory in MB; 0 if the process is gone. */
export function residentMb(pid: number): number {
  return field(pid, "VmRSS");
}

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
