/** What tests ask about the connections and files of another process; as far from the code under test as /proc allows. */
import { readdirSync, readFileSync } from "node:fs";

const ESTABLISHED = "01";

/** How many IPv4 connections are open at this port of this machine, on the side that listens there. */
export function connectionsAt(port: number): number {
  const lines = readFileSync("/proc/net/tcp", "latin1").split("\n").slice(1);
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  return lines.filter((line) => {
    const [, local, , state] = line.trim().split(/\s+/);
    return local?.endsWith(`:${hex}`) && state === ESTABLISHED;
  }).length;
}

export function openFilesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
