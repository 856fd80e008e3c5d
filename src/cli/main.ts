#!/usr/bin/env node
/** Where the command starts; what it does is in `run.ts`. In a checkout `scripts/zaguan.mjs` comes before it. */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "./run.ts";
import type { World } from "./world.ts";

/** Resolves with the exit code. */
export async function main(argv: readonly string[], world?: World): Promise<number> {
  return run(argv, world);
}

function isRunDirectly(): boolean {
  const script = process.argv[1];
  try {
    return script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url);
  } catch {
    return false;
  }
}

if (isRunDirectly()) {
  process.exitCode = await main(process.argv.slice(2));
}
