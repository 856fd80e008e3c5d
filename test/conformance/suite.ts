/** The official conformance suite as a process: what it is told, what it says, and which scenarios it asks for. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { cleanEnvironment } from "../support/spawn-zaguan.ts";
import { type Leg, requiredScenarios } from "./results.ts";

const SUITE = "../peers/node_modules/@modelcontextprotocol/conformance/";
const LIMIT_MS = 300_000;

/** One run of a leg of the suite. */
export interface Selection {
  readonly revision: string;
  /** Only this scenario. */
  readonly scenario: string | undefined;
  /** Where the suite leaves its results. */
  readonly folder: string;
}

/** Each scenario that must leave a result, and whether the suite scores it. */
export function wantedScenarios({ revision, scenario }: Omit<Selection, "folder">, leg: Leg): Map<string, boolean> {
  const file = new URL(`${SUITE}requirements/${revision}.yaml`, import.meta.url);
  const all = [...requiredScenarios(readFileSync(file, "utf8"), leg)];
  return new Map(all.filter(([name]) => scenario === undefined || name === scenario));
}

/** Resolves with all that it said. Its exit code says less than its files, so that only these count. */
export async function runSuite(args: readonly string[], limitMs: number = LIMIT_MS): Promise<string> {
  const main = fileURLToPath(new URL(`${SUITE}dist/index.js`, import.meta.url));
  const child = spawn(process.execPath, [main, ...args], {
    env: cleanEnvironment({ NO_COLOR: "1" }),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limitMs,
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  }
  await once(child, "close");
  return said;
}
