/**
 * `npm run test:console`: makes sure of a browser and of the programs that drive it, then runs the tests of the console. On
 * a machine where no browser can be had nothing is tested, which the last line says; one that ZAGUAN_CHROMIUM names must be
 * there.
 *
 *   npm run test:console                                   all of them
 *   npm run test:console -- test/console/tools.test.ts     one file
 */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import process from "node:process";

const TEST = ["--test", "--test-reporter=spec", "--test-concurrency=1", "--test-timeout=300000"];

function runs(...args: readonly string[]): boolean {
  return spawnSync(process.execPath, args, { stdio: "inherit" }).status === 0;
}

function main(): number {
  if (!runs("scripts/chromium.ts")) {
    if (process.env["ZAGUAN_CHROMIUM"]) return 1;
    console.log("\ntest:console: SKIPPED, the console was not tested: there is no browser (see above)");
    return 0;
  }
  const named = process.argv.slice(2);
  const files = named.length > 0 ? named : globSync("test/console/*.test.ts").sort();
  const isReady = runs("scripts/install-peers.ts") && runs("scripts/install-peers.ts", "test/console");
  return isReady && runs(...TEST, ...files) ? 0 : 1;
}

process.exitCode = main();
