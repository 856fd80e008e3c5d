/** The circumstances of a measurement: date, commit, machine, load. */
import { execFileSync } from "node:child_process";
import { cpus, loadavg } from "node:os";
import process from "node:process";
import type { Circumstances } from "./figures.ts";

/** To be called at the start of a measurement; the returned function is called at its end. */
export function recordCircumstances(): () => Circumstances {
  const [loadBefore = 0] = loadavg();
  return () => ({
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    node: process.versions.node,
    loadBefore,
    loadAfter: loadavg()[0] ?? 0,
  });
}
