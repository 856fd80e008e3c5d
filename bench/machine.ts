/** Where and of what the figures are. */
import { readFileSync } from "node:fs";
import { arch, cpus, platform, release, totalmem } from "node:os";
import process from "node:process";
import { PYTHON } from "./install.ts";
import type { Machine } from "./results.ts";

const ROOT = new URL("../package.json", import.meta.url);
const BENCH = new URL("./package.json", import.meta.url);

export function thisMachine(): Machine {
  const { version } = read(ROOT) as { version: string };
  const { dependencies } = read(BENCH) as { dependencies: Record<string, string> };
  const fromPyPI = Object.fromEntries(Object.entries(PYTHON).map(([name, pinned]) => [`${name} (PyPI)`, pinned]));
  return {
    date: new Date().toISOString(),
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    platform: `${platform()} ${release()} ${arch()}`,
    node: process.versions.node,
    versions: { zaguan: version, ...dependencies, ...fromPyPI },
  };
}

function read(file: URL): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
