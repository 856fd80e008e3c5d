/** How much of the processors a virtual machine was denied by its host: a row that counts milliseconds shows the host's stalls then, not ours. */
import { existsSync, readFileSync } from "node:fs";

const FILE = "/proc/stat";

interface Times {
  /** What ran, or wanted to run and was not let. */
  readonly wanted: number;
  readonly stolen: number;
}

/** Begins to look; the returned function tells the share since then, from 0 to 1. 0 where the system does not tell. */
export function watchStolen(read: () => string = readStat): () => number {
  const before = timesIn(read());
  return () => {
    const now = timesIn(read());
    const wanted = now.wanted - before.wanted;
    return wanted > 0 ? (now.stolen - before.stolen) / wanted : 0;
  };
}

function readStat(): string {
  return existsSync(FILE) ? readFileSync(FILE, "latin1") : "";
}

/** The first line: user, nice, system, idle, iowait, irq, softirq, steal. */
function timesIn(text: string): Times {
  const line = /^cpu +(.*)$/m.exec(text)?.[1] ?? "";
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = line.split(" ").map(Number);
  return { wanted: user + nice + system + irq + softirq + stolen, stolen };
}
