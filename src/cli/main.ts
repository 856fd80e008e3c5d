#!/usr/bin/env node
/**
 * Where the command starts. In a checkout Node strips the types of every file at every start; keeping what it made
 * halves the time to the first answer and saves some thirty megabytes. So the cache is opened before anything else is
 * loaded, and the command itself comes second.
 */
import { realpathSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import type { World } from "./world.ts";

/** Resolves with the exit code. */
export async function main(argv: readonly string[], world?: World): Promise<number> {
  const { run } = await import("./run.ts");
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
  // Only in a checkout, and there: a folder that others can write to is no place for code.
  if (import.meta.filename.endsWith(".ts")) {
    enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/zaguan", import.meta.url)));
  }
  process.exitCode = await main(process.argv.slice(2));
}
